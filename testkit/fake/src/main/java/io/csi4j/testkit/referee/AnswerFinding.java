package io.csi4j.testkit.referee;

import io.csi4j.testkit.journal.RecordedCall;

/**
 * A rule of the spec that an answer of a plugin broke: one that the spec lays down with MUST or
 * REQUIRED, and that shows in a request and its answer alone.
 *
 * @param field the field, by its path in the answer
 * @param call the call, as it came in
 * @param why what is wrong with it, as the rest of a sentence
 * @since 1.0
 */
public record AnswerFinding(String field, RecordedCall call, String why) {

  /** A sentence for a person. */
  @Override
  public String toString() {
    return "The answer to #%s %s breaks the spec: %s %s."
        .formatted(call.number(), call.operation().rpcName(), field, why);
  }
}
