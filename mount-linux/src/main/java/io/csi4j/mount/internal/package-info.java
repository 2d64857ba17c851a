/**
 * The way out of Java: {@link io.csi4j.mount.internal.LibcSyscalls} lays out the arguments of a
 * system call, {@link io.csi4j.mount.internal.Libc} makes it by one of two bindings, and {@link
 * io.csi4j.mount.internal.Bindings} chooses. No other package knows a native library.
 */
@NullMarked
package io.csi4j.mount.internal;

import org.jspecify.annotations.NullMarked;
