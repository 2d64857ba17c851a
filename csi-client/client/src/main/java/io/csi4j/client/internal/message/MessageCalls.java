package io.csi4j.client.internal.message;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;

/**
 * The calls of a connected plugin by their messages. They take the way of all calls: checked before
 * they are sent, refused if the plugin does not offer them, repeated, and explained when they fail.
 * Only the answer is not checked.
 */
public interface MessageCalls {

  /** A connected plugin, which can be called by messages, too. */
  interface Source {

    /** The calls of this plugin by their messages. */
    MessageCalls messages();
  }

  /**
   * Makes a call that has one answer, and waits for it.
   *
   * @param request the message of this operation's request
   * @throws io.csi4j.client.model.CsiException if it fails
   * @throws IllegalArgumentException if the operation has a stream of answers
   */
  Message call(CsiOperation operation, Message request);
}
