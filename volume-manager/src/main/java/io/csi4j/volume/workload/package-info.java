/**
 * The workload's side of a mount: whether its runtime can take volumes at all, what it asks for,
 * the bind mounts to hand to it, and every check that needs no change. Start at {@link
 * io.csi4j.volume.workload.VolumeRequest}.
 *
 * <p>Mounting the volume itself is {@link io.csi4j.volume.VolumeMounter}'s. Values do not change.
 */
@NullMarked
package io.csi4j.volume.workload;

import org.jspecify.annotations.NullMarked;
