/**
 * The entry point: {@link io.csi4j.volume.manager.VolumeManager} mounts and unmounts volumes for
 * workloads, remembers who uses what, and finds it again after a crash. Behind it, {@code
 * OpenedManager} puts the parts together and ends them in order.
 *
 * <p>What is asked for and told is in {@code io.csi4j.volume.node}. Everything here is safe for
 * many threads.
 */
@NullMarked
package io.csi4j.volume.manager;

import org.jspecify.annotations.NullMarked;
