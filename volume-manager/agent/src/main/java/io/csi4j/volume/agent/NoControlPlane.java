package io.csi4j.volume.agent;

import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import java.util.List;
import java.util.Optional;

/**
 * The control plane of a node that belongs to no cluster. It gives no orders and knows no claims.
 */
final class NoControlPlane implements ControlPlane {

  private static final ReasonText NONE = new ReasonText("the node belongs to no cluster");

  @Override
  public NodeOrders exchange(NodeReport report) {
    return new NodeOrders(
        report.node(), report.number(), Optional.empty(), List.of(), List.of(), List.of(), true);
  }

  @Override
  public ClaimStanding standing(ClaimQuestion question) {
    return new ClaimStanding.Unknown(NONE);
  }

  @Override
  public VolumeVerdict verdict(ClaimQuestion question) {
    return new VolumeVerdict.Unknown(NONE);
  }
}
