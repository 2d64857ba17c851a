package io.csi4j.testkit.referee;

import io.csi4j.testkit.journal.RecordedCall;
import java.util.List;

/**
 * One time that a caller broke a duty.
 *
 * @param duty which
 * @param story what happened, for a person
 * @param calls the calls that show it, the last being the one that broke it
 * @since 1.0
 */
public record Breach(DutyId duty, String story, List<RecordedCall> calls) {

  /** Copies the list. */
  public Breach {
    calls = List.copyOf(calls);
  }

  /** The story alone. */
  @Override
  public String toString() {
    return story;
  }
}
