package io.csi4j.volume.node;

import io.csi4j.volume.model.VolumeUse;

/**
 * A use of a volume that a host still wants, as the host reports it to the manager after a start.
 *
 * @since 1.0
 */
public sealed interface WantedUse {

  /** Returns the volume and the workload. */
  VolumeUse usage();

  /**
   * A use with the complete request, so that the manager can mount it again.
   *
   * @param request the request of the workload
   */
  record Requested(MountRequest request) implements WantedUse {
    @Override
    public VolumeUse usage() {
      return request.usage();
    }
  }

  /**
   * A use for which the host knows only the names of the volume and the workload. An existing mount
   * is kept. If the mount is gone, the use stays uncertain until the host requests the mount again.
   *
   * @param usage the volume and the workload
   */
  record Named(VolumeUse usage) implements WantedUse {}
}
