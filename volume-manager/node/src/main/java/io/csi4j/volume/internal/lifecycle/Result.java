package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.Release;

/** How an operation ended. */
public sealed interface Result {

  /** The volume is there for the workload. */
  record Published() implements Result {}

  /** What was mounted is gone, or stays because others use it; all uses are on record. */
  record Withdrawn() implements Result {}

  /**
   * The use is given up.
   *
   * @param release what that meant for the others
   */
  record Released(Release release) implements Result {}

  /**
   * It did not come about, and nothing of it is left.
   *
   * @param failure why
   */
  record Refused(Failure failure) implements Result {}

  /**
   * It did not come about, and something of it is left to be done.
   *
   * @param failure why
   */
  record Unfinished(Failure failure) implements Result {}

  /**
   * It did not come about, and a person has to look before it can.
   *
   * @param failure why it did not come about
   * @param code what a person has to look at
   */
  record Held(Failure failure, OperatorCode code) implements Result {

    Held(Failure failure) {
      this(failure, failure.code());
    }
  }
}
