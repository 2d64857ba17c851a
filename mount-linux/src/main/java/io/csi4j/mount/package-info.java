/**
 * Reads and changes the kernel's mounts.
 *
 * <p>Start with {@link io.csi4j.mount.MountTable}, which reads mounts, {@link
 * io.csi4j.mount.Mounts}, which changes them, and {@link io.csi4j.mount.MountWatch}, which reports
 * changes. Each is an interface whose {@code system()} returns the running kernel. {@link
 * io.csi4j.mount.MountCapabilities} lists the capabilities of that kernel and the call that is used
 * for each operation.
 *
 * <p>Reading never needs an answer of a filesystem's server, so it does not wait for the mount; a
 * change waits up to a deadline. No change follows a symbolic link outside a trusted directory, or
 * deletes more than one empty directory or file. This module is independent of CSI and volumes. All
 * types are safe for use by several threads, and blocking calls by virtual ones.
 *
 * <p>{@code Host} chooses the implementation of each interface: {@code LinuxMountTable}, {@code
 * LinuxMounts} and {@code LinuxMountWatch}, which use the packages below, or {@code
 * UnavailableMounts}, which throws the reason if no kernel is available. No package below depends
 * on this package.
 */
@NullMarked
package io.csi4j.mount;

import org.jspecify.annotations.NullMarked;
