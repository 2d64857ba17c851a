/**
 * A control plane: {@link io.csi4j.volume.cluster.Cluster} creates, claims and attaches volumes for
 * workloads, and orders each node to mount and release them. It combines {@link
 * io.csi4j.volume.controller.VolumeController}, {@link
 * io.csi4j.volume.claim.coordination.ClaimCoordinator} and {@link
 * io.csi4j.volume.placement.Placement}, which have the rules, and adds no record to the store.
 * Everything here is safe for many threads.
 */
@NullMarked
package io.csi4j.volume.cluster;

import org.jspecify.annotations.NullMarked;
