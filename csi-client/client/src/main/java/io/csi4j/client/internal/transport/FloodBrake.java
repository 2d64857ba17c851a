package io.csi4j.client.internal.transport;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.CsiConnectException.Reason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Remembers that a plugin has flooded the client, and delays reconnecting to it. Written by the I/O
 * thread only.
 */
final class FloodBrake {

  private static final Backoff PAUSES = Backoff.exact(Duration.ofSeconds(1), Duration.ofMinutes(1));
  private static final long FORGIVEN_NANOS = TimeUnit.MINUTES.toNanos(10);

  /**
   * The last flood.
   *
   * @param what the kind of unwanted traffic
   * @param number the number of the flood
   * @param inARow its position in a series of floods without long pauses
   * @param at the time of the flood
   * @param until the time before which the client must not reconnect to the plugin
   */
  private record Flood(String what, long number, int inARow, long at, long until) {

    ConnectProblem told(long now) {
      long pause = TimeUnit.NANOSECONDS.toMillis(until - now);
      return new ConnectProblem(
          Reason.FLOODS,
          "the connection was closed because the plugin floods it: "
              + what
              + "; this is flood number "
              + number
              + (pause > 0 ? ", and the client does not reconnect for " + pause + " ms" : ""),
          "Look at the plugin's log and its version of gRPC; the client reconnects on its own.");
    }
  }

  private volatile @Nullable Flood last;

  /** Records a flood, and returns the problem that describes it. */
  ConnectProblem flooded(String what, long now) {
    Flood before = last;
    long number = before == null ? 1 : before.number() + 1;
    int inARow = before == null || now - before.at() > FORGIVEN_NANOS ? 1 : before.inARow() + 1;
    Flood flood = new Flood(what, number, inARow, now, now + PAUSES.pause(inARow).toNanos());
    last = flood;
    return flood.told(now);
  }

  /** Returns why the client must not connect to the plugin now; null if it may connect. */
  @Nullable ConnectProblem problem(long now) {
    Flood flood = last;
    return flood == null || now - flood.until() >= 0 ? null : flood.told(now);
  }

  /**
   * Returns the last flood since {@code began}, even if the client may connect again; null if there
   * was none.
   */
  @Nullable ConnectProblem problemSince(long began, long now) {
    Flood flood = last;
    return flood == null || flood.at() - began < 0 ? problem(now) : flood.told(now);
  }
}
