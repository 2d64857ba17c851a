/**
 * Requests of a host to a node and their results: {@link io.csi4j.volume.node.MountRequest} and
 * {@link io.csi4j.volume.node.MountedVolume}, events, status, reports of a start and of a cleanup,
 * and the settings for checking claims ({@link io.csi4j.volume.node.NodeClaims}). {@link
 * io.csi4j.volume.node.VolumeMounter} is the interface that {@code VolumeManager} implements.
 *
 * <p>Module csi-client calls plugins, module mount-linux handles the kernel's mounts. Values are
 * immutable.
 */
@NullMarked
package io.csi4j.volume.node;

import org.jspecify.annotations.NullMarked;
