/**
 * The messages between nodes and control planes: start at {@link io.csi4j.volume.wire.Wire} for
 * claims, health and refusals, and at {@link io.csi4j.volume.wire.ClusterMessage} for a transport.
 * The values of other modules are mapped beside them, by {@code NodeWire} and {@code ClaimWire}.
 * How messages travel is decided by the host. Everything here is immutable and safe for many
 * threads.
 */
@NullMarked
package io.csi4j.volume.wire;

import org.jspecify.annotations.NullMarked;
