package io.csi4j.examples.redis;

import io.csi4j.volume.state.seal.Sealer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The server of a store, and how it is used.
 *
 * @param server the primary, and never a replica
 * @param prefix the begin of the names of all keys; each store has its own
 * @param losesNothingOnRestart whether each write is on the disk before it is confirmed, and no
 *     replica ever takes over; otherwise a server that was started again is another store
 * @param deadline how long the server may take for an answer
 * @param watchInterval how often a watch asks
 * @param sealer the key that records are sealed with
 */
public record RedisSettings(
    InetSocketAddress server,
    String prefix,
    boolean losesNothingOnRestart,
    Duration deadline,
    Duration watchInterval,
    Optional<Sealer> sealer) {

  /** The defaults, for a server that may lose writes when it is started again. */
  public static RedisSettings of(InetSocketAddress server) {
    return new RedisSettings(
        server, "csi4j", false, Duration.ofSeconds(5), Duration.ofMillis(500), Optional.empty());
  }

  RedisSettings withPrefix(String other) {
    return new RedisSettings(server, other, losesNothingOnRestart, deadline, watchInterval, sealer);
  }

  RedisSettings losingNothingOnRestart() {
    return new RedisSettings(server, prefix, true, deadline, watchInterval, sealer);
  }

  RedisSettings withWatchInterval(Duration other) {
    return new RedisSettings(server, prefix, losesNothingOnRestart, deadline, other, sealer);
  }
}
