package io.csi4j.volume.node;

import io.csi4j.volume.model.UsageKey;

/** A use of a volume that a host still wants, as it tells the manager after a start. */
public sealed interface LiveMount {

  /** Which use. */
  UsageKey usage();

  /**
   * A use with all that is needed to make it again, should it be gone.
   *
   * @param request what the workload wants
   */
  record Wanted(MountRequest request) implements LiveMount {
    @Override
    public UsageKey usage() {
      return request.usage();
    }
  }

  /**
   * A use of which the host knows no more than the names. It is kept; if it is gone, it stays in
   * doubt until the host asks for the mount again.
   *
   * @param usage which use
   */
  record Named(UsageKey usage) implements LiveMount {}
}
