/**
 * The calls to a storage system about volumes, from any host. Start at {@link
 * io.csi4j.volume.controller.VolumeController}; {@link io.csi4j.volume.controller.JobVolumes} are
 * volumes that live with a job, {@link io.csi4j.volume.controller.SnapshotBackups} snapshots that
 * an application need not wait for, {@link io.csi4j.volume.controller.ClusterSetup} gives a cluster
 * its identity, {@link io.csi4j.volume.controller.NodeBook} has its nodes. What may be left behind
 * when it did not do something, {@link io.csi4j.volume.controller.ControllerException} says. Every
 * call goes through {@code Controllers}, which finds an instance that is ready and lets calls wait
 * for each other.
 *
 * <p>What volumes are stands in {@code io.csi4j.volume.catalog}; who may use them is decided in
 * {@code io.csi4j.volume.claim}; nodes' paths and mounts do not belong here. Safe for many threads,
 * values do not change.
 */
@NullMarked
package io.csi4j.volume.controller;

import org.jspecify.annotations.NullMarked;
