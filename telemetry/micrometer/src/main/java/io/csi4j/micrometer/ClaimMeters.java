package io.csi4j.micrometer;

import io.csi4j.volume.claim.ClaimEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Measures the time of operations on claims. The start and the end of an operation are reported on
 * the thread that performs it.
 */
final class ClaimMeters implements ClaimEvent.Listener {

  private final Meters meters;

  /** Start times of the nested operations of this thread, innermost last. */
  private final ThreadLocal<Deque<Long>> begun = ThreadLocal.withInitial(ArrayDeque::new);

  private ClaimMeters(Meters meters) {
    this.meters = meters;
  }

  /**
   * Creates the listener. This method is in this class, so that the entry point can be loaded
   * without the claims module.
   */
  static ClaimEvent.Listener listener(Meters meters) {
    return new ClaimMeters(meters);
  }

  @Override
  public void on(ClaimEvent event) {
    if (event instanceof ClaimEvent.Started) {
      begun.get().addLast(System.nanoTime());
    } else if (event instanceof ClaimEvent.Ended ended) {
      ended(ended);
    } else if (event instanceof ClaimEvent.Noticed noticed) {
      meters.count(CsiMeter.NOTICES, noticed.message().code().name());
    } else if (event instanceof ClaimEvent.Unreadable unreadable) {
      meters.count(CsiMeter.NOTICES, unreadable.message().code().name());
    }
  }

  private void ended(ClaimEvent.Ended ended) {
    Deque<Long> open = begun.get();
    Long start = open.pollLast();
    if (open.isEmpty()) {
      begun.remove();
    }
    if (start != null) {
      meters.time(
          CsiMeter.CLAIMS,
          Duration.ofNanos(System.nanoTime() - start),
          ended.work().name().toLowerCase(Locale.ROOT),
          ended.problem().map(message -> message.code().name()).orElse(OperationMeters.OK));
    }
  }
}
