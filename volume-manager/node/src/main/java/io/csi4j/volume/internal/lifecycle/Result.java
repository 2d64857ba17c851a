package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.node.UnmountOutcome;

/** The result of an operation. */
public sealed interface Result
    permits Failure, Result.Published, Result.Withdrawn, Result.Released {

  /** The volume is published for the workload. */
  record Published() implements Result {}

  /** The mount is removed, or stays because other uses need it. All uses stay on record. */
  record Withdrawn() implements Result {}

  /**
   * The use is released.
   *
   * @param release whether the volume has other uses
   */
  record Released(UnmountOutcome release) implements Result {}
}
