package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import java.util.List;
import java.util.Set;

/** Which breaches are not told of an orchestrator in a scenario, not even as advice. */
final class Excuses {

  /** Validating a volume that others made: the scenarios hand it over as registered. */
  private static final DutyId VALIDATE = DutyId.of(261);

  private static final Set<DutyId> ONE_CALL_AT_A_TIME = Set.of(DutyId.of(49), DutyId.of(50));

  private Excuses() {}

  /**
   * Whether a breach is not told.
   *
   * @param crash the last call that came in before the orchestrator crashed; 0 if it did not
   */
  static boolean excused(Breach breach, long crash) {
    return breach.duty().equals(VALIDATE) || isAcrossCrash(breach, crash);
  }

  /** A caller that comes back after a crash cannot know which of its calls are still open. */
  private static boolean isAcrossCrash(Breach breach, long crash) {
    List<Long> numbers = breach.calls().stream().map(RecordedCall::number).toList();
    return ONE_CALL_AT_A_TIME.contains(breach.duty())
        && numbers.stream().anyMatch(number -> number <= crash)
        && numbers.stream().anyMatch(number -> number > crash);
  }
}
