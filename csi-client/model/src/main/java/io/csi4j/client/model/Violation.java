package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * A fault of a request or an answer.
 *
 * @param field the field, as a path with the names of the spec: {@code
 *     volume_capabilities[0].mount}
 * @param rule the broken rule
 * @param detail the fault, for display; never contains a secret
 * @since 1.0
 */
public record Violation(String field, Rule rule, String detail) {

  /** The rules for requests and answers. */
  public enum Rule {
    /** A required field is empty or absent. */
    REQUIRED,
    /** The value is longer or larger than the spec allows. */
    TOO_LARGE,
    /** The value contains a character that is not allowed there. */
    CHARACTERS,
    /** The value contains a NUL character. */
    NUL,
    /** The value is not valid Unicode text. */
    NOT_UNICODE,
    /** The path does not begin at the root. */
    NOT_ABSOLUTE,
    /** The number is out of range. */
    OUT_OF_RANGE,
    /** The value is unknown, and must not be sent. */
    UNRECOGNIZED,
    /** The value contradicts another value. */
    MISMATCH,
    /** The list never ends, or repeats its tokens. */
    ENDLESS,
    /** The value is out of order, or overlaps the previous one. */
    ORDER
  }

  @Override
  public String toString() {
    return SafeText.escape(field, 256) + " " + detail;
  }
}
