/** The thread that reports changes of mounts. Start with {@code RunningWatch}. */
@NullMarked
package io.csi4j.mount.internal.watch;

import org.jspecify.annotations.NullMarked;
