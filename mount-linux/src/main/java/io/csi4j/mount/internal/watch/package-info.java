/** The thread that tells when mounts change. Start with {@code RunningWatch}. */
@NullMarked
package io.csi4j.mount.internal.watch;

import org.jspecify.annotations.NullMarked;
