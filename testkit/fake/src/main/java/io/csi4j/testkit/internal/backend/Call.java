package io.csi4j.testkit.internal.backend;

import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.internal.backend.State.OnNode;
import io.csi4j.testkit.model.PluginShape;
import org.jspecify.annotations.Nullable;

/**
 * The shape of the plugin and the node for one call. The node is null if the socket serves no node.
 */
record Call(PluginShape shape, @Nullable NodeId node) {

  String here() {
    if (node == null) {
      throw new IllegalStateException("A node call arrived, but no node is served.");
    }
    return node.value();
  }

  /** Returns the key of a volume or a path on this node. */
  OnNode onThisNode(String what) {
    return new OnNode(what, here());
  }
}
