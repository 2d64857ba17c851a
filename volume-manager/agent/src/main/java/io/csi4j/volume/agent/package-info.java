/**
 * The agent of a node: {@link io.csi4j.volume.agent.NodeAgent} mounts the volumes that the node has
 * claims for, and gives them back. It reaches the control planes of its cluster by {@link
 * io.csi4j.volume.agent.ControlPlane} alone: each {@link io.csi4j.volume.node.NodeReport} is
 * complete, and {@link io.csi4j.volume.node.NodeOrders} say whether they are.
 *
 * <p>No rule is here: {@link io.csi4j.volume.manager.VolumeManager} has those of mounts, and the
 * claims of the cluster decide who may use a volume. Everything here is safe for many threads.
 */
@NullMarked
package io.csi4j.volume.agent;

import org.jspecify.annotations.NullMarked;
