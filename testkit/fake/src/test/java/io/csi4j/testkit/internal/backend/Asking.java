package io.csi4j.testkit.internal.backend;

import static org.assertj.core.api.Assertions.fail;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A backend that is asked without a wire: its requests go in, its answers or refusals come out. */
final class Asking {

  static final NodeId ONE = NodeId.of("node-1");
  static final NodeId TWO = NodeId.of("node-2");

  final VirtualClock clock = VirtualClock.at(Instant.parse("2030-01-01T00:00:00Z"));
  final SpecBackend backend;
  volatile PluginShape shape;

  Asking(PluginShape shape, Storage storage, Duration snapshotsReadyAfter) {
    this.shape = shape;
    backend =
        new SpecBackend(() -> this.shape, List.of(ONE, TWO), storage, clock, snapshotsReadyAfter);
    backend.open();
  }

  Asking(PluginShape shape, Storage storage) {
    this(shape, storage, Duration.ZERO);
  }

  Asking(PluginShape shape) {
    this(shape, new MemoryStorage(NodeEffects.none()));
  }

  Asking() {
    this(PluginShape.full());
  }

  static CsiOperation operation(Message request) {
    String name = request.getDescriptorForType().getName();
    return CsiOperation.ofRpcName(name.substring(0, name.length() - "Request".length()))
        .orElseThrow();
  }

  List<Message> answers(NodeId node, Message request) throws Refusal {
    CsiOperation operation = operation(request);
    return backend.answer(new Backend.Asked(operation, node, request));
  }

  /** The answer on a node; fails the test if it is refused. */
  <T extends Message> T on(NodeId node, Class<T> type, Message request) {
    try {
      return type.cast(answers(node, request).get(0));
    } catch (Refusal refusal) {
      return fail(operation(request) + " was refused: " + text(refusal), refusal);
    }
  }

  <T extends Message> T ask(Class<T> type, Message request) {
    return on(ONE, type, request);
  }

  /** Asks on the first node, whatever is answered. */
  Message ask(Message request) {
    return on(ONE, Message.class, request);
  }

  Refusal refusalOn(NodeId node, Message request) {
    try {
      return fail("was answered: " + answers(node, request));
    } catch (Refusal refusal) {
      return refusal;
    }
  }

  Refusal refusal(Message request) {
    return refusalOn(ONE, request);
  }

  static String text(Refusal refusal) {
    return refusal.code() + " " + refusal.text();
  }

  static boolean isNode(Message request) {
    return operation(request).service() == CsiOperation.Service.NODE;
  }
}
