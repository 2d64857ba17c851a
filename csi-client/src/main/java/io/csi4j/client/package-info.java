/**
 * A connected CSI plugin, and the words that all of its services share.
 *
 * <p>Start at {@link io.csi4j.client.CsiPlugin#connect}. From there each service of the plugin is
 * one method away: {@code identity()}, {@code controller()}, {@code node()}, {@code
 * groupController()}, {@code snapshotMetadata()}; its requests and results live in the package of
 * that name.
 *
 * <p>Here belong the connection, its options and events, the ids, the value types that more than
 * one service uses, and the exceptions. What only one service knows belongs to that service's
 * package. Nothing here shows gRPC or protobuf.
 *
 * <p>All values are immutable and safe to share between threads; so is a {@code CsiPlugin}.
 */
@NullMarked
package io.csi4j.client;

import org.jspecify.annotations.NullMarked;
