package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does the work of a plugin. Called by many threads, and may block them. */
public interface Backend {

  /**
   * Does the work of one call.
   *
   * @return the answer: one message, or those of a stream
   * @throws Refusal if the plugin answers with a failure
   */
  List<Message> answer(Asked asked) throws Refusal;

  /** Called before the plugin listens, at its start and at each restart. */
  void open();

  /**
   * One call.
   *
   * @param operation what
   * @param node whose socket it came on; null where no node is served
   * @param request what was asked
   */
  record Asked(CsiOperation operation, @Nullable NodeId node, Message request) {}
}
