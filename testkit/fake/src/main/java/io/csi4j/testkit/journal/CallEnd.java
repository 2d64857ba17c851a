package io.csi4j.testkit.journal;

import java.util.List;

/**
 * The end of a call.
 *
 * @since 1.0
 */
public sealed interface CallEnd {

  /** Returns whether the call ended with OK. */
  default boolean ok() {
    return this instanceof Answered;
  }

  /** The call ended with OK and one message, or the messages of a stream. */
  record Answered(List<WireMessage> messages) implements CallEnd {
    /** Copies the list. */
    public Answered {
      messages = List.copyOf(messages);
    }
  }

  /**
   * The call ended with a failure.
   *
   * @param code the status number, which may be one that gRPC does not define
   * @param text the status message; if it repeats sensitive values of the request, they are removed
   *     and the text is shortened
   */
  record Failed(int code, String text) implements CallEnd {}

  /** The connection broke: the plugin dropped it, or was stopped. */
  record Broken() implements CallEnd {}

  /** The caller stopped waiting: it cancelled the call, or the deadline passed. */
  record Abandoned() implements CallEnd {}
}
