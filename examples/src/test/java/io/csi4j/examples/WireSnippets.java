package io.csi4j.examples;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WireException;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeWire;
import io.csi4j.volume.node.SentSecrets;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.SentRefusal;
import io.csi4j.volume.wire.Wire;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The code blocks of docs/wire.md, each between a mark with its name and one at its end. */
final class WireSnippets {

  private WireSnippets() {}

  static ClaimStanding asked(ClaimQuestion question, UnaryOperator<byte[]> transport) {
    // snippet: ask
    byte[] answer = transport.apply(Wire.standingQuestion(question).encode()); // on a node
    ClaimStanding standing = Wire.standing(ClusterMessage.decode(answer));
    // end
    return standing;
  }

  static byte[] answered(byte[] received, ControlPlane cluster) {
    // snippet: answer
    ClusterMessage message = ClusterMessage.decode(received); // in a control plane
    ClusterMessage answer =
        switch (message.kind()) {
          case NODE_REPORT -> NodeWire.orders(cluster.exchange(NodeWire.report(message)));
          case STANDING_QUESTION -> Wire.standing(cluster.standing(Wire.standingQuestion(message)));
          case VOLUME_QUESTION -> Wire.verdict(cluster.verdict(Wire.volumeQuestion(message)));
          default -> throw new IllegalArgumentException("Not expected: " + message);
        };
    byte[] sent = answer.encode();
    // end
    return sent;
  }

  static ClusterMessage refused(VolumeException failed) {
    // snippet: refusal
    ClusterMessage refusal = Wire.refusal(SentRefusal.of(failed)); // where it failed

    SentRefusal received = Wire.refusal(refusal); // where the caller is
    String line = received.message().line(); // the same line, with the same code
    // end
    assert line.equals(failed.operatorMessage().line());
    return refusal;
  }

  static ClusterMessage sealed(
      MountRequest request, VolumeUse usage, Secrets staging, Secrets publishing, Sealer sealer) {
    // snippet: seal
    SentSecrets secrets = // in a control plane
        SentSecrets.sealed(
            usage,
            Map.of(
                CsiOperation.NODE_STAGE_VOLUME, staging,
                CsiOperation.NODE_PUBLISH_VOLUME, publishing),
            sealer);
    ClusterMessage message = NodeWire.mount(request, secrets);
    // end
    return message;
  }

  static MountRequest opened(
      ClusterMessage message, Function<String, SecretsProvider> byName, Sealer sealer) {
    // snippet: open
    MountRequest request = // on a node; opened when a call needs them
        NodeWire.mount(message, (use, secrets) -> secrets.provider(use, byName, sealer));
    // end
    return request;
  }

  static String newer(byte[] received, Consumer<byte[]> next, Consumer<String> log) {
    // snippet: newer
    ClusterMessage message = ClusterMessage.decode(received);
    try {
      log.accept(Wire.grant(message).toString());
    } catch (WireException refused) { // the message had no effect
      if (refused.code() == OperatorCode.MESSAGE_FROM_NEWER_VERSION) {
        next.accept(message.encode()); // with all that this version does not know
      }
      log.accept(refused.operatorMessage().line());
    }
    // end
    return message.json();
  }
}
