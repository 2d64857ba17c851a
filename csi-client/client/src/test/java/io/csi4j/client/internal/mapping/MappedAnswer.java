package io.csi4j.client.internal.mapping;

import io.csi4j.client.model.Violation;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What came of mapping one answer; findings as {@code field RULE}. */
record MappedAnswer<T>(Optional<T> value, AnswerFindings findings) {

  static <T> MappedAnswer<T> of(Function<AnswerFindings, T> mapping) {
    AnswerFindings findings = new AnswerFindings();
    try {
      T value = mapping.apply(findings);
      if (!findings.isUsable()) {
        throw new AssertionError("a result in spite of " + findings.violations());
      }
      return new MappedAnswer<>(Optional.of(value), findings);
    } catch (UnusableAnswerException expected) {
      if (findings.isUsable()) {
        throw new AssertionError("unusable without a violation", expected);
      }
      return new MappedAnswer<>(Optional.empty(), findings);
    }
  }

  T get() {
    return value.orElseThrow(() -> new AssertionError(findings.violations().toString()));
  }

  List<String> violations() {
    return findings.violations().stream().map(MappedAnswer::text).toList();
  }

  List<String> warnings() {
    return findings.warnings().stream().map(MappedAnswer::text).toList();
  }

  List<String> details() {
    return findings.violations().stream().map(Violation::toString).toList();
  }

  private static String text(Violation violation) {
    return violation.field() + " " + violation.rule();
  }
}
