package io.csi4j.examples.redis;

import io.csi4j.volume.state.seal.Sealer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The server of a store, and the settings for its use.
 *
 * @param server the primary, and never a replica
 * @param prefix the prefix of the names of all keys, which must differ between stores
 * @param losesNothingOnRestart whether the server writes to disk before it confirms a write, and a
 *     replica never takes over; if false, a restarted server counts as another store
 * @param deadline how long the server may take for an answer
 * @param watchInterval the interval at which a watch reads new writes
 * @param sealer seals the records
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
