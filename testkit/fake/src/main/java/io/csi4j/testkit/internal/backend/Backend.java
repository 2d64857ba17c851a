package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does the work of a plugin's calls. Many threads call a backend, and it may block them. */
public interface Backend {

  /** Does the work of one call. Returns the answer, which is a list of messages for a stream. */
  List<Message> answer(Asked asked) throws Refusal;

  /**
   * Prepares the backend. Called at the start of the plugin and at each restart, before the plugin
   * listens.
   */
  void open();

  /**
   * A call to the plugin. {@code node} is the node whose socket received the call; null if the
   * socket serves no node.
   */
  record Asked(CsiOperation operation, @Nullable NodeId node, Message request) {}
}
