package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.node.UnmountOutcome;

/** How an operation ended. */
public sealed interface Result
    permits Failure, Result.Published, Result.Withdrawn, Result.Released {

  /** The volume is there for the workload. */
  record Published() implements Result {}

  /** The mount is gone, or stays because others use it; all uses are on record. */
  record Withdrawn() implements Result {}

  /**
   * The use is given up.
   *
   * @param release what that meant for the others
   */
  record Released(UnmountOutcome release) implements Result {}
}
