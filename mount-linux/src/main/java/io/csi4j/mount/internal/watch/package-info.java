/** The watch that tells when mounts change. Start with {@code LinuxMountWatch}. */
@NullMarked
package io.csi4j.mount.internal.watch;

import org.jspecify.annotations.NullMarked;
