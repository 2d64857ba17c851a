/**
 * Adapters of the ports to this machine: its kernel, plugins behind sockets, and the host's
 * confirmation of claims. Start at {@link io.csi4j.volume.internal.real.RealParts}.
 */
@NullMarked
package io.csi4j.volume.internal.real;

import org.jspecify.annotations.NullMarked;
