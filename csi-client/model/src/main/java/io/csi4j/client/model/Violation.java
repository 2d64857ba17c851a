package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * One thing wrong with a request or an answer.
 *
 * @param field the field, as a path in the spec's names: {@code volume_capabilities[0].mount}
 * @param rule the rule it breaks
 * @param detail how, for people; never holds a secret
 * @since 1.0
 */
public record Violation(String field, Rule rule, String detail) {

  /** The rules there are. */
  public enum Rule {
    /** A required field is empty or absent. */
    REQUIRED,
    /** Longer or larger than the spec allows. */
    TOO_LARGE,
    /** Holds a character that is not allowed there. */
    CHARACTERS,
    /** Holds a NUL character. */
    NUL,
    /** Is no valid Unicode text. */
    NOT_UNICODE,
    /** A path that does not begin at the root. */
    NOT_ABSOLUTE,
    /** A number outside of what is possible. */
    OUT_OF_RANGE,
    /** A value that is not known, and must not be sent. */
    UNRECOGNIZED,
    /** Differs from what it has to agree with. */
    MISMATCH,
    /** A list that never ends, or goes round in a circle. */
    ENDLESS,
    /** Comes out of order, or overlaps what came before. */
    ORDER
  }

  @Override
  public String toString() {
    return SafeText.escape(field, 256) + " " + detail;
  }
}
