/**
 * The room for the kernel's mounts, seen and changed. It holds no type in this version.
 *
 * <p>Here belong what is mounted (pure reading), the changes to it (bind, read-only bind,
 * propagation, unmount) and the watch that tells when it changes; each an interface with the real
 * system as one implementation. The native binding belongs to {@code io.csi4j.mount.internal}
 * alone. Nothing here knows CSI or volumes, and nothing waits for the filesystem behind a mount.
 */
@NullMarked
package io.csi4j.mount;

import org.jspecify.annotations.NullMarked;
