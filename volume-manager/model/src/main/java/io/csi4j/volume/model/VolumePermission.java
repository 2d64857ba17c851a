package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;

/**
 * The host's decision which workload may use which volume. Names of volumes come from tenants, and
 * a name does not show the owner of a volume: only the host knows that.
 *
 * <p>The manager calls it for each requested mount, before a use is recorded and before a plugin is
 * called; a coordinator of claims calls it before it claims. It is never called for releases, and
 * existing mounts stay until they are released, whatever is decided later. It runs on the thread
 * that requests the mount, or on a thread of the manager for a use that is restored after a start;
 * it must not block. A decision that throws counts as a refusal.
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

  /** Returns a permission for every use, which suffices for hosts without tenants. */
  static VolumePermission everybody() {
    return Everybody.MAY;
  }

  /**
   * A request for permission.
   *
   * @param usage the workload, and the host's key of the volume, with its namespace
   * @param volume the plugin's identity of the volume; empty for a request for a claim, which is
   *     made by the host's key alone
   * @param readOnly whether the workload only reads
   */
  record Request(VolumeUse usage, Optional<VolumeIdentity> volume, boolean readOnly) {

    /** Checks that all parts are set. */
    public Request {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(volume, "volume");
    }

    /** Returns the answer of a permission; false if it throws. */
    public boolean isPermittedBy(VolumePermission permission) {
      try {
        return permission.permits(this);
      } catch (RuntimeException e) {
        return false;
      }
    }
  }
}
