package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.EnumSet;
import java.util.Set;

/** The conclusion that a caller may draw from the end of its call. */
enum CallOutcome {
  /** The plugin has done the work. */
  OK,
  /** The plugin has not done the work, and is not doing it. */
  REFUSED,
  /** The plugin may have done the work, or may still do it. */
  UNCERTAIN;

  private static final Set<StatusCode> UNCERTAIN_CODES =
      EnumSet.of(
          StatusCode.CANCELLED,
          StatusCode.UNKNOWN,
          StatusCode.DEADLINE_EXCEEDED,
          StatusCode.INTERNAL,
          StatusCode.UNAVAILABLE,
          StatusCode.DATA_LOSS);

  static CallOutcome of(RecordedCall call) {
    CallEnd end = call.end().orElseThrow();
    if (end instanceof CallEnd.Answered answered) {
      return answered.messages().size() == 1 || isStream(call) ? OK : UNCERTAIN;
    }
    boolean refused =
        end instanceof CallEnd.Failed failed
            && !UNCERTAIN_CODES.contains(StatusCode.ofValue(failed.code()))
            && !call.worked();
    return refused ? REFUSED : UNCERTAIN;
  }

  /**
   * Returns the code with which a call failed; OK if the call did not fail, or if it ended without
   * a code.
   */
  static StatusCode code(RecordedCall call) {
    return call.end().orElse(null) instanceof CallEnd.Failed failed
        ? StatusCode.ofValue(failed.code())
        : StatusCode.OK;
  }

  /** Returns whether the caller received no answer that settles the outcome of the call. */
  static boolean isLost(RecordedCall call) {
    CallEnd end = call.end().orElseThrow();
    return end instanceof CallEnd.Broken
        || end instanceof CallEnd.Abandoned
        || Set.of(StatusCode.CANCELLED, StatusCode.DEADLINE_EXCEEDED, StatusCode.UNAVAILABLE)
            .contains(code(call));
  }

  private static boolean isStream(RecordedCall call) {
    return call.operation() == CsiOperation.GET_METADATA_ALLOCATED
        || call.operation() == CsiOperation.GET_METADATA_DELTA;
  }
}
