/**
 * The workload's side of a mount: what it asks for, whether its runtime and this node can have it,
 * and what to hand to the runtime of each of its tasks. Start at {@link
 * io.csi4j.volume.workload.WorkloadVolumes}; {@link io.csi4j.volume.workload.Preflight} makes every
 * check that needs no change, {@link io.csi4j.volume.workload.TaskMounts} is what comes out. The
 * checks behind {@code Preflight} are in {@code VolumeCheck} and {@code TaskCheck}.
 *
 * <p>Mounting a volume is {@link io.csi4j.volume.node.VolumeMounter}'s, and starting a task the
 * host's. Everything here is a value or asks values, and is safe for many threads. One thing is
 * changed from here: to whom the files of a volume belong, where a request says so ({@code
 * OwnershipChange}).
 */
@NullMarked
package io.csi4j.volume.workload;

import org.jspecify.annotations.NullMarked;
