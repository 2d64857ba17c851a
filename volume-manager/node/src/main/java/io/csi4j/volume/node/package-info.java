/**
 * The requests of a host to a node, and what it is told: {@link io.csi4j.volume.node.MountRequest}
 * and {@link io.csi4j.volume.node.MountedVolume}, events, status, reports of a start and of a
 * cleanup, and how the node holds itself to claims ({@link io.csi4j.volume.node.NodeClaims}).
 * {@link io.csi4j.volume.node.VolumeMounter} is the interface that {@code VolumeManager}
 * implements.
 *
 * <p>Talking to a plugin is csi-client's, the kernel's mounts are mount-linux's. Values do not
 * change.
 */
@NullMarked
package io.csi4j.volume.node;

import org.jspecify.annotations.NullMarked;
