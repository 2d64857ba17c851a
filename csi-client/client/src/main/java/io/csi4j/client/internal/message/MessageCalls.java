package io.csi4j.client.internal.message;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;

/**
 * The calls of a connected plugin with protobuf messages. These calls use the same path as all
 * other calls. The client checks each request, refuses it if the plugin does not offer the call,
 * repeats it after a failure, and explains the failure. Only the answer is not checked.
 */
public interface MessageCalls {

  /** A connected plugin that can also be called with protobuf messages. */
  interface Source {

    /** Returns the calls of this plugin with protobuf messages. */
    MessageCalls messages();
  }

  /**
   * Makes a call that has one answer, and waits for the answer.
   *
   * @param request the request message of this operation
   * @throws io.csi4j.client.model.CsiException if the call fails
   * @throws IllegalArgumentException if the operation has a stream of answers
   */
  Message call(CsiOperation operation, Message request);
}
