/**
 * Reads the files of {@code /proc} and {@code /sys}. This is the only package that may use the
 * JDK's file access, and only for these files. Their meaning belongs to the packages that read
 * them.
 */
@NullMarked
package io.csi4j.mount.internal.proc;

import org.jspecify.annotations.NullMarked;
