/**
 * The workload's side of a mount: its requests, whether its runtime and this node can serve them,
 * and the mounts for the runtime of each task. Start at {@link
 * io.csi4j.volume.workload.WorkloadVolumes}. {@link io.csi4j.volume.workload.Preflight} makes every
 * check that needs no change; {@link io.csi4j.volume.workload.TaskMounts} is the result for a task.
 * {@code VolumeCheck} and {@code TaskCheck} contain the checks of {@code Preflight}.
 *
 * <p>{@link io.csi4j.volume.node.VolumeMounter} mounts volumes, and the host starts tasks.
 * Everything in this package is a value or reads values, and is thread-safe. One thing is changed
 * from here: the owners of a volume's files, if a request specifies them ({@code OwnershipChange}).
 */
@NullMarked
package io.csi4j.volume.workload;

import org.jspecify.annotations.NullMarked;
