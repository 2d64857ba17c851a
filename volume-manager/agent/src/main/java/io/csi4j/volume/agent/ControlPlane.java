package io.csi4j.volume.agent;

import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;

/**
 * The questions of a node to the control planes of its cluster; each of them answers each. The
 * transport between the two is an implementation of this interface, and in one process the {@code
 * Cluster} itself is.
 *
 * <p>A report or a question of a node of another cluster is refused with {@link
 * io.csi4j.volume.model.OperatorCode#CONTROL_PLANE_OTHER}, and changes nothing.
 *
 * <p>Methods block until there is an answer, at most until the deadline of the transport. Safe for
 * many threads.
 *
 * @since 1.0
 */
public interface ControlPlane {

  /**
   * Accepts the report of a node, and returns all that the node is to have mounted and to give
   * back. A report that gets no answer may have been accepted or not: the next one has all of it
   * again, and accepting it twice changes nothing.
   *
   * @throws io.csi4j.volume.model.OperatorException if there are no orders now; the node changes
   *     nothing then
   */
  NodeOrders exchange(NodeReport report);

  /**
   * Returns what a claim is worth now, from the store of the claims and never from memory.
   *
   * @throws io.csi4j.volume.model.OperatorException if that cannot be known now
   */
  ClaimStanding standing(ClaimQuestion question);

  /**
   * Returns whether the volume of a claim exists; asked when the plugin of the node does not find
   * it.
   *
   * @throws io.csi4j.volume.model.OperatorException if that cannot be known now
   */
  VolumeVerdict verdict(ClaimQuestion question);
}
