/**
 * The entry point: a connected CSI plugin.
 *
 * <p>Start at {@link io.csi4j.client.CsiPlugin#connect}. Its methods return the services of the
 * plugin: {@code identity()}, {@code controller()}, {@code node()}, {@code groupController()},
 * {@code snapshotMetadata()}; the requests and results of a service are in the package of that
 * name. Ids, options, exceptions and all types that more than one service uses are in {@link
 * io.csi4j.client.model}. Nothing here shows gRPC or protobuf.
 *
 * <p>A {@code CsiPlugin} is safe for use by many threads.
 */
@NullMarked
package io.csi4j.client;

import org.jspecify.annotations.NullMarked;
