/**
 * Management of volumes in storage systems, from any host. Start at {@link
 * io.csi4j.volume.controller.VolumeController}. {@link io.csi4j.volume.controller.JobVolumes} are
 * volumes with the lifetime of a job, {@link io.csi4j.volume.controller.SnapshotBackups} are
 * snapshots that an application need not wait for, {@link io.csi4j.volume.controller.ClusterSetup}
 * gives a cluster its identity, and {@link io.csi4j.volume.controller.NodeBook} has its nodes. A
 * {@link io.csi4j.volume.controller.ControllerException} says what effects a failed operation may
 * have had. Every call goes through {@code Controllers}, which finds a ready instance and queues
 * calls that must not overlap.
 *
 * <p>The data of volumes is in {@code io.csi4j.volume.catalog}; {@code io.csi4j.volume.claim}
 * decides who may use them; paths and mounts of nodes do not belong here. Thread-safe; values are
 * immutable.
 */
@NullMarked
package io.csi4j.volume.controller;

import org.jspecify.annotations.NullMarked;
