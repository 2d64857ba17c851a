package io.csi4j.testkit.referee;

import io.csi4j.testkit.journal.RecordedCall;
import java.util.List;

/**
 * A breach of one duty by a caller.
 *
 * @param duty the duty
 * @param story a description of what happened
 * @param calls the calls that prove the breach; the last one broke the duty
 * @since 1.0
 */
public record Breach(DutyId duty, String story, List<RecordedCall> calls) {

  /** Copies the list. */
  public Breach {
    calls = List.copyOf(calls);
  }

  /** Returns the story. */
  @Override
  public String toString() {
    return story;
  }
}
