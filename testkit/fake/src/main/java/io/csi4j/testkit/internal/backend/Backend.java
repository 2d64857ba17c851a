package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does the work of a plugin. Called by many threads, and may block them. */
public interface Backend {

  /** Does the work of one call: one message is the answer, or those of a stream. */
  List<Message> answer(Asked asked) throws Refusal;

  /** Called before the plugin listens, at its start and at each restart. */
  void open();

  /** One call. Its node is the one whose socket it came on, and null where no node is served. */
  record Asked(CsiOperation operation, @Nullable NodeId node, Message request) {}
}
