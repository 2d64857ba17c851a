package io.csi4j.testkit.journal;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A message as sent on the wire. Its fields are read by their names in the spec, such as {@code
 * volume_id}. If a field is not set, its accessor returns the default: {@code ""}, 0, false, or an
 * empty value.
 *
 * <p>The text of {@code toString} contains every field except secrets, mount flags and the values
 * of contexts. The accessors return all fields.
 *
 * <p>Each accessor throws {@code IllegalArgumentException} if the message has no field of this
 * name, or a field of another kind. The exception's message names the existing fields.
 *
 * @since 1.0
 */
public interface WireMessage {

  /** Returns the name of the message in the spec, such as {@code NodeStageVolumeRequest}. */
  String type();

  /**
   * Returns the names of the fields that are set. A list or a map counts as set if it is not empty.
   */
  Set<String> fields();

  /** Returns whether the field is set. A list or a map counts as set if it is not empty. */
  boolean has(String field);

  /** Returns a string field. */
  String text(String field);

  /** Returns the value of a number field, or the number of an enum field's value. */
  long number(String field);

  /** Returns a boolean field. */
  boolean flag(String field);

  /**
   * Returns the name of an enum field's value, such as {@code SINGLE_NODE_WRITER}; a value without
   * a name is returned as its number.
   */
  String choice(String field);

  /** Returns a map field. */
  Map<String, String> map(String field);

  /** Returns a message field; if the field is not set, an empty message. */
  WireMessage message(String field);

  /** Returns a field that is a list of strings. */
  List<String> texts(String field);

  /** Returns a field that is a list of messages. */
  List<WireMessage> messages(String field);

  /** Returns whether another message has the same fields with the same values, in any order. */
  @Override
  boolean equals(Object other);

  /** Returns a copy of the message without the secrets in it and in its nested messages. */
  WireMessage withoutSecrets();

  /**
   * Returns the message as one line of JSON, with the field names of the spec. The values are
   * redacted as in {@code toString}.
   */
  String json();
}
