package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does the work of a plugin. Many threads call it, and it may block them. */
public interface Backend {

  /** Does the work of one call; returns the answer, or the messages of a stream. */
  List<Message> answer(Asked asked) throws Refusal;

  /** Prepares the backend; called before the plugin listens, at its start and at each restart. */
  void open();

  /**
   * One call. The node is the one whose socket received the call; null for a socket that serves no
   * node.
   */
  record Asked(CsiOperation operation, @Nullable NodeId node, Message request) {}
}
