package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.Optional;

/** How an operation ended. */
public sealed interface Result {

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

  /**
   * The operation failed, and nothing of it is left.
   *
   * @param failure why
   */
  record Refused(Failure failure) implements Result {}

  /**
   * The operation failed, and something of it is left to be done.
   *
   * @param failure why
   * @param undoing why undoing it did not come about either, if that was tried
   */
  record Unfinished(Failure failure, Optional<Failure> undoing) implements Result {

    /** Nothing was to be undone, or that goes on. */
    public Unfinished(Failure failure) {
      this(failure, Optional.empty());
    }
  }

  /**
   * The operation failed, and a person has to look before it can succeed.
   *
   * @param failure why it failed
   * @param code the code of what a person has to look at
   * @param undoing why undoing it did not come about either, if that was tried
   */
  record Held(Failure failure, OperatorCode code, Optional<Failure> undoing) implements Result {

    Held(Failure failure) {
      this(failure, failure.code(), Optional.empty());
    }
  }
}
