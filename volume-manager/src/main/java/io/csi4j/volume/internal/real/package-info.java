/** The ports bound to this machine: its clock and threads, its kernel, plugins behind sockets. */
@NullMarked
package io.csi4j.volume.internal.real;

import org.jspecify.annotations.NullMarked;
