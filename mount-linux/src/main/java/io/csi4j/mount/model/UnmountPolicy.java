package io.csi4j.mount.model;

import java.time.Duration;

/**
 * The steps that an unmount may take. It starts with a plain unmount, repeated while the mount is
 * busy; the policy must allow further steps.
 *
 * @param busyLimit how long a plain unmount is repeated while the mount is in use; zero tries once
 * @param force whether a server that does not answer may be given up (FUSE, NFS): processes that
 *     wait for it get an error
 * @param lazy whether the mount may be detached while it is still in use; its device stays busy
 *     until the last user is gone
 * @since 1.0
 */
public record UnmountPolicy(Duration busyLimit, boolean force, boolean lazy) {

  /** Plain unmounts only, for 10 seconds. */
  public static final UnmountPolicy PLAIN = new UnmountPolicy(Duration.ofSeconds(10), false, false);

  /** Refuses a negative limit. */
  public UnmountPolicy {
    if (busyLimit.isNegative()) {
      throw new IllegalArgumentException(
          "The limit for busy mounts, " + busyLimit + ", is negative. Use zero to try once.");
    }
  }

  /** Returns the policy with this limit. */
  public UnmountPolicy withBusyLimit(Duration busyLimit) {
    return new UnmountPolicy(busyLimit, force, lazy);
  }

  /** Returns the policy that may also give up a server. */
  public UnmountPolicy withForce() {
    return new UnmountPolicy(busyLimit, true, lazy);
  }

  /** Returns the policy that may also detach a mount in use. */
  public UnmountPolicy withLazy() {
    return new UnmountPolicy(busyLimit, force, true);
  }
}
