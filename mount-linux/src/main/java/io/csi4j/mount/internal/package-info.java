/**
 * The only place that knows the native library: {@link io.csi4j.mount.internal.JnaSyscalls}. A
 * second binding would stand beside it and implement the same {@link
 * io.csi4j.mount.internal.kernel.Syscalls}.
 */
@NullMarked
package io.csi4j.mount.internal;

import org.jspecify.annotations.NullMarked;
