/**
 * The kernel as a port: its system calls, their numbers and structures, what the running one gives,
 * and what its errors mean. Nothing here decides what to mount.
 */
@NullMarked
package io.csi4j.mount.internal.kernel;

import org.jspecify.annotations.NullMarked;
