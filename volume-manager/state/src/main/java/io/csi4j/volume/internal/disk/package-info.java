/**
 * The disk as the volume manager sees it: one narrow port, {@link
 * io.csi4j.volume.internal.disk.Disk}, behind which a test can put a disk that loses power. Start
 * at {@link io.csi4j.volume.internal.disk.RealDisk} for what the kernel does with each call.
 *
 * <p>Mounts do not belong here.
 */
@NullMarked
package io.csi4j.volume.internal.disk;

import org.jspecify.annotations.NullMarked;
