/**
 * The entry point: a connected CSI plugin.
 *
 * <p>Start at {@link io.csi4j.client.CsiPlugin#connect}. From there each service of the plugin is
 * one method away: {@code identity()}, {@code controller()}, {@code node()}, {@code
 * groupController()}, {@code snapshotMetadata()}; its requests and results live in the package of
 * that name. Ids, options, exceptions and all that more than one service uses live in {@link
 * io.csi4j.client.model}. Nothing here shows gRPC or protobuf.
 *
 * <p>A {@code CsiPlugin} is safe for use by many threads.
 */
@NullMarked
package io.csi4j.client;

import org.jspecify.annotations.NullMarked;
