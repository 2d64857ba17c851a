package io.csi4j.testkit.journal;

import java.util.List;

/**
 * How a call ended.
 *
 * @since 1.0
 */
public sealed interface CallEnd {

  /** Whether the caller was told OK. */
  default boolean ok() {
    return this instanceof Answered;
  }

  /** With OK, and one message, or those of a stream. */
  record Answered(List<WireMessage> messages) implements CallEnd {
    /** Copies the list. */
    public Answered {
      messages = List.copyOf(messages);
    }
  }

  /**
   * With a failure.
   *
   * @param code its number, which may be none of gRPC's
   * @param text what it said; shortened, and without them, if it repeats sensitive values of the
   *     request
   */
  record Failed(int code, String text) implements CallEnd {}

  /** With a broken connection: the plugin dropped it, or was stopped. */
  record Broken() implements CallEnd {}

  /** By the caller, which no longer waits: it cancelled, or its deadline passed. */
  record Abandoned() implements CallEnd {}
}
