/**
 * Reading the files of {@code /proc} and {@code /sys}. The only package that may use the JDK's
 * files, and no others than those. What they mean is for the packages that read them.
 */
@NullMarked
package io.csi4j.mount.internal.proc;

import org.jspecify.annotations.NullMarked;
