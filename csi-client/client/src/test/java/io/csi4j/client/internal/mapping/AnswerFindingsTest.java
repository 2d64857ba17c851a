package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import org.junit.jupiter.api.Test;

class AnswerFindingsTest {

  private final AnswerFindings findings = new AnswerFindings();

  @Test
  void warningsLetTheResultPass() {
    findings.warning("a", Rule.REQUIRED, "is odd");
    findings.created("id");
    assertThat(findings.result(() -> "result")).isEqualTo("result");
    assertThat(findings.isUsable()).isTrue();
    assertThat(findings.created()).isEmpty();
  }

  @Test
  void aViolationKeepsTheResultFromBeingMade() {
    findings.violation("a", Rule.NUL, "is bad");
    findings.created("id");
    assertThatThrownBy(
            () ->
                findings.result(
                    () -> {
                      throw new AssertionError("asked for a result");
                    }))
        .isInstanceOf(UnusableAnswerException.class);
    assertThat(findings.violations()).containsExactly(new Violation("a", Rule.NUL, "is bad"));
    assertThat(findings.created()).contains("id");
  }

  @Test
  void bothListsAreBounded() {
    for (int i = 0; i < 1000; i++) {
      findings.violation("a" + i, Rule.NUL, "is bad");
      findings.warning("f".repeat(i), Rule.NUL, "is odd");
    }
    assertThat(findings.violations()).hasSize(AnswerFindings.LIMIT);
    assertThat(findings.warnings()).hasSize(AnswerFindings.LIMIT);
  }

  @Test
  void ofOneKindOfWarningTheFirstIsKept() {
    findings.warning("a[1].b[2]", Rule.NUL, "first");
    findings.warning("a[11].b[0]", Rule.NUL, "second");
    findings.warning("a[1].b[2]", Rule.REQUIRED, "another rule");
    assertThat(findings.warnings())
        .extracting(Violation::detail)
        .containsExactly("first", "another rule");
  }

  @Test
  void quotedTextIsScrubbedBeforeItIsEscapedAndCut() {
    AnswerFindings scrubbing = new AnswerFindings(text -> text.replace("secret\n", "***"));
    assertThat(scrubbing.quote("a secret\nb")).isEqualTo("'a ***b'");
    assertThat(scrubbing.quote("x".repeat(250) + "secret\n"))
        .isEqualTo("'" + "x".repeat(250) + "***'");
    assertThat(scrubbing.quote("x".repeat(1 << 20))).hasSizeLessThan(300);
    assertThat(scrubbing.forPart().quote("secret\n")).isEqualTo("'***'");
  }
}
