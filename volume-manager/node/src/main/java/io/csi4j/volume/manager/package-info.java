/**
 * Entry point of the module: {@link io.csi4j.volume.manager.VolumeManager} mounts and unmounts
 * volumes for workloads, records the uses, and recovers them after a crash. Internally, {@code
 * OpenedManager} opens the components of a manager and closes them in order.
 *
 * <p>Requests and results are in package {@code io.csi4j.volume.node}. The types of this package
 * are safe for use by many threads.
 */
@NullMarked
package io.csi4j.volume.manager;

import org.jspecify.annotations.NullMarked;
