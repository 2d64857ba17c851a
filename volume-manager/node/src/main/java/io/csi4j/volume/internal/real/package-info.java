/**
 * Implementations of the interfaces in package port for a real machine: the mounts of its kernel,
 * plugins behind sockets, and the host's confirmation of claims. The entry type is {@link
 * io.csi4j.volume.internal.real.RealParts}.
 */
@NullMarked
package io.csi4j.volume.internal.real;

import org.jspecify.annotations.NullMarked;
