package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;

/**
 * Decides on behalf of the host which workload may use which volume. The host must decide, because
 * tenants choose the names of volumes, and a name does not prove who owns the volume.
 *
 * <p>The manager calls the permission for each requested mount, before it records the use and
 * before it calls a plugin. A coordinator of claims calls the permission before it claims a volume.
 * The permission is never called for releases: existing mounts stay until they are released, even
 * if their use would be refused now. The permission runs on the thread that requests the mount. For
 * a use that is restored after a start, it runs on a thread of the manager. It must not block. If
 * it throws, the request is refused.
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

  /** Returns a permission that allows every use. This suffices for hosts without tenants. */
  static VolumePermission everybody() {
    return Everybody.MAY;
  }

  /**
   * A request for permission to use a volume.
   *
   * @param usage the workload, and the host's key for the volume, with its namespace
   * @param volume the plugin's identity of the volume; empty if a claim is requested, because a
   *     claim names only the host's key
   * @param readOnly whether the workload only reads
   */
  record Request(VolumeUse usage, Optional<VolumeIdentity> volume, boolean readOnly) {

    /** Checks that all parts are set. */
    public Request {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(volume, "volume");
    }

    /** Returns the answer of a permission; false if the permission throws. */
    public boolean isPermittedBy(VolumePermission permission) {
      try {
        return permission.permits(this);
      } catch (RuntimeException e) {
        return false;
      }
    }
  }
}
