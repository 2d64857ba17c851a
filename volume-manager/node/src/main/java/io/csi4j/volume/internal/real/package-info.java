/**
 * The ports bound to this machine: its kernel, plugins behind sockets, claims that are asked. Start
 * at {@link io.csi4j.volume.internal.real.RealParts}.
 */
@NullMarked
package io.csi4j.volume.internal.real;

import org.jspecify.annotations.NullMarked;
