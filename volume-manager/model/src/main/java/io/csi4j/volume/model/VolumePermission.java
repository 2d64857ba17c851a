package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;

/**
 * The host's decision which workload may use which volume. Names of volumes come from tenants, and
 * a name says nothing of whom a volume belongs to: that is the host's knowledge.
 *
 * <p>The manager asks before a use is remembered and before a plugin is called, each time a mount
 * is asked for, and a coordinator of claims before it claims. Releases are never asked about, and
 * what is mounted stays until it is released, whatever is decided later. The decision is made on
 * the thread that asks for the mount, or on one of the manager's for a use that is wanted after a
 * start; it must not block. One that throws is a refusal.
 *
 * <pre>{@code
 * VolumePermission permission = // the namespace of the tenant is a part of the volume's name
 *     wish ->
 *         wish.usage().volume().namespace().equals(wish.volume().map(owners::get).orElse(null));
 * ManagerSettings settings = ManagerSettings.builder().permission(permission).build();
 * }</pre>
 *
 * @since 1.0
 */
@FunctionalInterface
public interface VolumePermission {

  /** Whether the workload may use the volume. */
  boolean permits(Request wish);

  /** Returns a permission for everybody; hosts that have no tenants need no other. */
  static VolumePermission everybody() {
    return Everybody.MAY;
  }

  /**
   * The wish to be permitted.
   *
   * @param usage the workload, and the volume as the host names it, with its namespace
   * @param volume the volume as its plugin names it; nothing where a claim is asked for, which is
   *     made by the host's name alone
   * @param readOnly whether the workload only reads
   */
  record Request(VolumeUse usage, Optional<VolumeIdentity> volume, boolean readOnly) {

    /** Checks that all parts are set. */
    public Request {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(volume, "volume");
    }

    /** Returns the answer of a permission; no if it throws. */
    public boolean isPermittedBy(VolumePermission permission) {
      try {
        return permission.permits(this);
      } catch (RuntimeException e) {
        return false;
      }
    }
  }
}
