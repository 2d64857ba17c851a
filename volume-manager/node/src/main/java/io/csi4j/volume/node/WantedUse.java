package io.csi4j.volume.node;

import io.csi4j.volume.model.VolumeUse;

/**
 * A use of a volume that a host still wants, as it tells the manager after a start.
 *
 * @since 1.0
 */
public sealed interface WantedUse {

  /** Which use. */
  VolumeUse usage();

  /**
   * A use with all that is needed to make it again, should it be gone.
   *
   * @param request what the workload wants
   */
  record Requested(MountRequest request) implements WantedUse {
    @Override
    public VolumeUse usage() {
      return request.usage();
    }
  }

  /**
   * A use of which the host knows no more than the names. It is kept; if it is gone, it stays in
   * doubt until the host asks for the mount again.
   *
   * @param usage which use
   */
  record Named(VolumeUse usage) implements WantedUse {}
}
