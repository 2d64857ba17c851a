package io.csi4j.volume.cluster;

import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.NodeWire;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.Wire;

/** The control plane at the other end of a line: all that crosses is encoded and decoded. */
final class EncodedControlPlane implements ControlPlane {

  private final ControlPlane to;

  EncodedControlPlane(ControlPlane to) {
    this.to = to;
  }

  @Override
  public NodeOrders exchange(NodeReport report) {
    NodeReport arrived = NodeWire.report(crossed(NodeWire.report(report)));
    NodeOrders orders = to.exchange(arrived);
    return NodeWire.orders(
        crossed(NodeWire.orders(orders)), (use, secrets) -> SecretsProvider.none());
  }

  @Override
  public ClaimStanding standing(ClaimQuestion question) {
    ClaimQuestion asked = Wire.standingQuestion(crossed(Wire.standingQuestion(question)));
    return Wire.standing(crossed(Wire.standing(to.standing(asked))));
  }

  @Override
  public VolumeVerdict verdict(ClaimQuestion question) {
    ClaimQuestion asked = Wire.volumeQuestion(crossed(Wire.volumeQuestion(question)));
    return Wire.verdict(crossed(Wire.verdict(to.verdict(asked))));
  }

  private static ClusterMessage crossed(ClusterMessage message) {
    return ClusterMessage.decode(message.encode());
  }
}
