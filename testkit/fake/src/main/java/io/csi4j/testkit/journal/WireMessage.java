package io.csi4j.testkit.journal;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A message as it stood on the wire, read by the field names of the spec, such as {@code
 * volume_id}. A field that is not set reads as its default: {@code ""}, 0, false, empty.
 *
 * <p>The {@code toString} shows every field but secrets, mount flags and the values of contexts.
 * The accessors show all.
 *
 * <p>Each accessor throws {@code IllegalArgumentException} if the message has no such field, or one
 * of another kind, naming the fields that it has.
 *
 * @since 1.0
 */
public interface WireMessage {

  /** Its name in the spec, such as {@code NodeStageVolumeRequest}. */
  String type();

  /** The fields that are set, or not empty. */
  Set<String> fields();

  /** Whether the field is set, or not empty. */
  boolean has(String field);

  /** A string. */
  String text(String field);

  /** A number, or the number of an enum. */
  long number(String field);

  /** A boolean. */
  boolean flag(String field);

  /** The name of an enum's value, such as {@code SINGLE_NODE_WRITER}; its number if it has none. */
  String choice(String field);

  /** A map. */
  Map<String, String> map(String field);

  /** A message; an empty one if it is not set. */
  WireMessage message(String field);

  /** A list of strings. */
  List<String> texts(String field);

  /** A list of messages. */
  List<WireMessage> messages(String field);

  /** Whether another message has the same fields with the same values, in any order. */
  @Override
  boolean equals(Object other);

  /** Returns the message without its secrets, at any depth. */
  WireMessage withoutSecrets();

  /** The message as one line of JSON, under the names of the spec, redacted as in toString. */
  String json();
}
