package io.csi4j.volume.agent;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.util.Optional;

/**
 * The answers of a control plane about claims and volumes, while its orders come from the cluster
 * of this node. A control plane of another cluster has other claims under the same names, and its
 * answer could end the mount of a running workload.
 */
final class ClusterConfirmation implements NodeClaims.Confirmation {

  private static final String NOT_SHOWN =
      "no orders have shown that the control plane belongs to the cluster of this node";

  private final NodeName node;
  private final ControlPlane controlPlane;

  /** The cluster of this node, which each question names. */
  private volatile Optional<String> cluster = Optional.empty();

  private volatile boolean isOfCluster;

  ClusterConfirmation(NodeName node, ControlPlane controlPlane) {
    this.node = node;
    this.controlPlane = controlPlane;
  }

  /**
   * Sets the cluster of this node, and whether the control plane is known to belong to it. An older
   * control plane that ignores the cluster in a question shows its cluster only in its orders.
   */
  void isOfCluster(Optional<String> own, boolean isShown) {
    cluster = own;
    isOfCluster = isShown;
  }

  private ClaimQuestion question(VolumeUse usage, long epoch) {
    return new ClaimQuestion(new ClaimEpoch(node, usage, epoch), cluster);
  }

  @Override
  public ClaimStanding standing(VolumeUse usage, long epoch) {
    if (!isOfCluster) {
      throw new VolumeException(
          VolumeException.Outcome.REFUSED,
          Messages.of(
              OperatorCode.CLAIM_UNCONFIRMED,
              Subject.of("confirming the claim of").by(usage),
              NOT_SHOWN),
          null,
          null);
    }
    return controlPlane.standing(question(usage, epoch));
  }

  @Override
  public VolumeVerdict verdict(VolumeUse usage, long epoch) {
    return isOfCluster
        ? controlPlane.verdict(question(usage, epoch))
        : new VolumeVerdict.Unknown(new ReasonText(NOT_SHOWN));
  }
}
