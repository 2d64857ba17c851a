/**
 * The messages between nodes and control planes. Start at {@link io.csi4j.volume.wire.Wire} for
 * claims, health and refusals, and at {@link io.csi4j.volume.wire.ClusterMessage} for a transport.
 * {@code NodeWire} and {@code ClaimWire} in other modules convert the values of those modules. The
 * host decides how messages are transported. All types are immutable and thread-safe.
 */
@NullMarked
package io.csi4j.volume.wire;

import org.jspecify.annotations.NullMarked;
