package io.csi4j.volume.agent;

import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;

/**
 * The calls of a node to the control planes of its cluster; any control plane answers any call. The
 * transport between the two implements this interface. In one process, the {@code Cluster} itself
 * does.
 *
 * <p>A report or a question of a node of another cluster is refused with {@link
 * io.csi4j.volume.model.OperatorCode#CONTROL_PLANE_OTHER}, and changes nothing.
 *
 * <p>Methods block until the answer, or the deadline of the transport. Safe for many threads.
 *
 * @since 1.0
 */
public interface ControlPlane {

  /**
   * Accepts the report of a node, and returns all volumes that the node must have mounted or give
   * back. A report without an answer may have been accepted. The next report repeats all of it, and
   * accepting it twice changes nothing.
   *
   * @throws io.csi4j.volume.model.OperatorException if there are no orders now; the node changes
   *     nothing then
   */
  NodeOrders exchange(NodeReport report);

  /**
   * Returns whether a claim is current, from the store of the claims and never from memory.
   *
   * @throws io.csi4j.volume.model.OperatorException if that cannot be known now
   */
  ClaimStanding standing(ClaimQuestion question);

  /**
   * Returns whether the volume of a claim exists. The node calls it when its plugin does not find
   * the volume.
   *
   * @throws io.csi4j.volume.model.OperatorException if that cannot be known now
   */
  VolumeVerdict verdict(ClaimQuestion question);
}
