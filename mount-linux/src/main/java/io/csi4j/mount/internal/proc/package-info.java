/**
 * What {@code /proc} tells of processes and their mounts. The only room that may use the JDK's
 * files, and only below {@code /proc} and {@code /sys}.
 */
@NullMarked
package io.csi4j.mount.internal.proc;

import org.jspecify.annotations.NullMarked;
