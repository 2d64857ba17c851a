/**
 * The kernel as a port: its system calls, their numbers and structures, the features of the running
 * kernel, and the meaning of its errors. Decisions about mounts do not belong here.
 */
@NullMarked
package io.csi4j.mount.internal.kernel;

import org.jspecify.annotations.NullMarked;
