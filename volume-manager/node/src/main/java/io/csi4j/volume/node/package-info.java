/**
 * Requests from a host to a node, and their results. This package contains {@link
 * io.csi4j.volume.node.MountRequest} and {@link io.csi4j.volume.node.MountedVolume}, events,
 * status, the reports of a start and of a reconciliation, and the settings for checking claims
 * ({@link io.csi4j.volume.node.NodeClaims}). {@link io.csi4j.volume.node.VolumeMounter} is the
 * interface that {@code VolumeManager} implements.
 *
 * <p>Module csi-client calls plugins, and module mount-linux handles the kernel's mounts. The
 * values in this package are immutable.
 */
@NullMarked
package io.csi4j.volume.node;

import org.jspecify.annotations.NullMarked;
