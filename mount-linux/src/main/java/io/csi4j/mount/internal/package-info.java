/**
 * Native calls from Java: {@link io.csi4j.mount.internal.LibcSyscalls} lays out the arguments of a
 * system call, {@link io.csi4j.mount.internal.Libc} makes it with one of two bindings, and {@link
 * io.csi4j.mount.internal.Bindings} chooses the binding. No other package uses a native library.
 */
@NullMarked
package io.csi4j.mount.internal;

import org.jspecify.annotations.NullMarked;
