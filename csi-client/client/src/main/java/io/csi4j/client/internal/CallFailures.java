package io.csi4j.client.internal;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Creates the exception for a failure. */
final class CallFailures {

  private CallFailures() {}

  /**
   * Returns the exception for a status of the plugin, or for the reason why a call was not sent.
   * The type of the exception depends on the action that the caller must take next.
   */
  static CsiException because(CsiFailure failure, FailureRule rule, @Nullable Throwable cause) {
    return switch (rule.retry()) {
      case BACKOFF, AFTER_PENDING -> new CsiTransientException(failure, cause);
      case AFTER_REQUEST_CHANGE -> new CsiRequestException(failure, List.of(), cause);
      case AFTER_FIX -> new CsiConditionException(failure, cause);
      case NEVER ->
          rule.code() == StatusCode.UNIMPLEMENTED
              ? new CsiUnsupportedException(failure, Optional.empty(), cause)
              : new CsiConditionException(failure, cause);
    };
  }

  /** Returns the exception for an answer that was rejected because of its size. */
  static CsiAnswerException tooLarge(CsiFailure.Builder failure, int limit) {
    Violation violation =
        new Violation("(answer)", Violation.Rule.TOO_LARGE, "is larger than " + limit + " bytes");
    return new CsiAnswerException(
        failure
            .why("the answer is larger than the " + limit + " bytes that this connection takes")
            .advice("Ask for fewer entries, or connect with a larger maxMessageBytes.")
            .build(),
        List.of(violation),
        Optional.empty());
  }

  /**
   * Returns the exception for an answer that was not parsed because of the memory it would take.
   */
  static CsiAnswerException tooHeavy(CsiFailure.Builder failure, long limit) {
    String detail = "would take more than " + limit + " bytes of memory";
    return new CsiAnswerException(
        failure
            .why("the answer has so many parts that it " + detail)
            .advice(
                "Ask for fewer entries, or connect with a larger maxMessageBytes; an answer takes"
                    + " up to five times that in memory.")
            .build(),
        List.of(new Violation("(answer)", Violation.Rule.TOO_LARGE, detail)),
        Optional.empty());
  }

  /** Returns the exception for a request that was refused before it was sent. */
  static CsiRequestException refused(CsiFailure.Builder failure, List<Violation> violations) {
    return new CsiRequestException(
        failure
            .why("the request is not valid: " + list(violations))
            .advice("Correct the request; it was not sent.")
            .build(),
        violations,
        null);
  }

  /** Returns the exception for an answer that cannot be used. */
  static CsiAnswerException unusable(
      CsiFailure.Builder failure, List<Violation> violations, Optional<String> created) {
    return new CsiAnswerException(
        failure
            .why("the plugin answered OK, but its answer is not valid: " + list(violations))
            .advice(
                created
                    .map(
                        id ->
                            "Delete "
                                + SafeText.quote(id)
                                + ", which was created but cannot be used, and report this to the"
                                + " maker of the plugin.")
                    .orElse("The answer was not used. Report this to the maker of the plugin."))
            .build(),
        violations,
        created);
  }

  private static String list(List<Violation> violations) {
    String shown =
        violations.stream().limit(8).map(Violation::toString).collect(Collectors.joining("; "));
    return violations.size() <= 8 ? shown : shown + "; and " + (violations.size() - 8) + " more";
  }
}
