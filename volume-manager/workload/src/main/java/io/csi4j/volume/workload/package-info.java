/**
 * The volumes of a workload: its requests, checks whether the node and the runtimes can fulfil
 * them, and the mounts for the runtime of each task. Start at {@link
 * io.csi4j.volume.workload.WorkloadVolumes}. {@link io.csi4j.volume.workload.Preflight} makes all
 * checks that are possible without a change. {@link io.csi4j.volume.workload.TaskMounts} is the
 * result for one task. {@code VolumeCheck} and {@code TaskCheck} contain the checks of {@code
 * Preflight}.
 *
 * <p>{@link io.csi4j.volume.node.VolumeMounter} mounts volumes, and the host starts tasks. All
 * types in this package are thread-safe, and most of them are immutable values. Only {@code
 * OwnershipChange} makes changes: it changes the owners of a volume's files if a request specifies
 * them.
 */
@NullMarked
package io.csi4j.volume.workload;

import org.jspecify.annotations.NullMarked;
