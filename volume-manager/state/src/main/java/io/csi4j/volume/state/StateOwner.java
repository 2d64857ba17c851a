package io.csi4j.volume.state;

import java.time.Instant;
import java.util.Objects;

/**
 * The owner of a state.
 *
 * @param pid its process
 * @param processStart when that process began; tells two processes with one pid apart
 * @param epoch grows with every owner; the owner with the highest one is the real one
 * @param host where it runs
 * @since 1.0
 */
public record StateOwner(long pid, Instant processStart, long epoch, HostIdentity host) {

  /** Checks that all parts are there. */
  public StateOwner {
    Objects.requireNonNull(processStart, "processStart");
    Objects.requireNonNull(host, "host");
  }
}
