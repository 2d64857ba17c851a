/**
 * The disk as used by the volume manager: one narrow interface, {@link
 * io.csi4j.volume.internal.disk.Disk}, which a test can implement with a disk that loses power.
 * Start at {@link io.csi4j.volume.internal.disk.RealDisk} for the kernel's behavior in each call.
 *
 * <p>Mounts do not belong here.
 */
@NullMarked
package io.csi4j.volume.internal.disk;

import org.jspecify.annotations.NullMarked;
