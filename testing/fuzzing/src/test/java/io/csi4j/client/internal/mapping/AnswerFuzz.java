package io.csi4j.client.internal.mapping;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Violation;
import io.csi4j.client.scripted.Wire;
import io.csi4j.fuzz.Choices;
import io.csi4j.fuzz.Finding;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Answers to all 36 calls: bytes that are no message, or a message that becomes a result or a
 * bounded list of violations, each of them one line. The first byte chooses the call.
 */
public final class AnswerFuzz {

  private static final CsiOperation[] CALLS = CsiOperation.values();
  private static final Map<CsiOperation, HostileAnswersTest.Mapping> MAPPINGS =
      HostileAnswersTest.mappings();

  private AnswerFuzz() {}

  /** Reads the bytes as the answer to one call. */
  public static void fuzzerTestOneInput(byte[] input) {
    Choices choices = new Choices(input);
    CsiOperation call = CALLS[choices.of(CALLS.length)];
    Message answer;
    try {
      answer = Wire.response(call).getParserForType().parseFrom(choices.rest());
    } catch (InvalidProtocolBufferException noMessage) {
      return;
    }
    HostileAnswersTest.Mapping mapping = MAPPINGS.get(call);
    if (mapping == null) {
      // Says nothing but that it is done.
      return;
    }
    Message request = HostileAnswersTest.request(call);
    MappedAnswer<Object> mapped =
        MappedAnswer.of(findings -> mapping.map(request, answer, findings));
    mapped.value().ifPresent(value -> Finding.unlessOneLine(value.toString()));
    AnswerFindings findings = mapped.findings();
    Finding.unless(
        findings.violations().size() <= AnswerFindings.LIMIT, () -> "too many violations");
    Finding.unless(findings.warnings().size() <= AnswerFindings.LIMIT, () -> "too many warnings");
    Stream.concat(findings.violations().stream(), findings.warnings().stream())
        .map(Violation::toString)
        .forEach(Finding::unlessOneLine);
  }
}
