/**
 * The kernel's mounts, seen and changed.
 *
 * <p>Start with {@link io.csi4j.mount.MountTable}, what is mounted (pure reading), {@link
 * io.csi4j.mount.Mounts}, the changes to it, and {@link io.csi4j.mount.MountWatch}, which tells
 * when it changes. Each is an interface whose {@code system()} is the running kernel. What that
 * kernel can do, and by which call each operation is done, is in {@link
 * io.csi4j.mount.MountCapabilities}.
 *
 * <p>What is read says nothing that only a filesystem's server could tell, so the mount itself is
 * not waited for; what is changed is waited for up to a deadline. No change follows a symbolic link
 * that it was not told to trust, or deletes more than one empty directory or file. Nothing here
 * knows CSI or volumes. All types are safe for use by several threads, and blocking calls by
 * virtual ones.
 *
 * <p>The module is put together here: {@code Host} chooses what stands behind each interface,
 * {@code LinuxMountTable}, {@code LinuxMounts} and {@code LinuxMountWatch} put the packages below
 * behind it, and {@code UnavailableMounts} says why where there is no kernel to speak to. No
 * package below knows this package.
 */
@NullMarked
package io.csi4j.mount;

import org.jspecify.annotations.NullMarked;
