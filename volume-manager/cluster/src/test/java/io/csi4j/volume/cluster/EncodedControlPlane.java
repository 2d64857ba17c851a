package io.csi4j.volume.cluster;

import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.NodeWire;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.Wire;

/** The control plane at the other end of a line: all that crosses is encoded and decoded. */
final class EncodedControlPlane implements ControlPlane {

  private final NodeName node;
  private final ControlPlane to;

  EncodedControlPlane(NodeName node, ControlPlane to) {
    this.node = node;
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
  public ClaimStanding standing(VolumeUse usage, long epoch) {
    ClaimEpoch asked =
        Wire.standingQuestion(crossed(Wire.standingQuestion(new ClaimEpoch(node, usage, epoch))));
    return Wire.standing(crossed(Wire.standing(to.standing(asked.usage(), asked.epoch()))));
  }

  @Override
  public VolumeVerdict verdict(VolumeUse usage, long epoch) {
    ClaimEpoch asked =
        Wire.volumeQuestion(crossed(Wire.volumeQuestion(new ClaimEpoch(node, usage, epoch))));
    return Wire.verdict(crossed(Wire.verdict(to.verdict(asked.usage(), asked.epoch()))));
  }

  private static ClusterMessage crossed(ClusterMessage message) {
    return ClusterMessage.decode(message.encode());
  }
}
