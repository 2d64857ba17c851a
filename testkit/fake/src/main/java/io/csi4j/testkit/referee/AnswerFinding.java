package io.csi4j.testkit.referee;

import io.csi4j.testkit.journal.RecordedCall;

/**
 * A rule of the spec that a plugin's answer broke. The rule is marked MUST or REQUIRED, and can be
 * checked with one request and its answer alone.
 *
 * @param field the path of the field in the answer
 * @param call the call, as it arrived
 * @param why the problem, as the rest of a sentence
 * @since 1.0
 */
public record AnswerFinding(String field, RecordedCall call, String why) {

  /** Returns the finding as a sentence. */
  @Override
  public String toString() {
    return "The answer to #%s %s breaks the spec: %s %s."
        .formatted(call.number(), call.operation().rpcName(), field, why);
  }
}
