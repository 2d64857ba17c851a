/**
 * The entry point: a connected CSI plugin.
 *
 * <p>Start at {@link io.csi4j.client.CsiPlugin#connect}. The methods of {@code CsiPlugin} return
 * the services of the plugin: {@code identity()}, {@code controller()}, {@code node()}, {@code
 * groupController()} and {@code snapshotMetadata()}. Each service has a package for its requests
 * and results. Ids, options, exceptions and all other types that more than one service uses are in
 * {@link io.csi4j.client.model}. No type of gRPC or protobuf appears in this package.
 *
 * <p>A {@code CsiPlugin} is safe for use by many threads.
 */
@NullMarked
package io.csi4j.client;

import org.jspecify.annotations.NullMarked;
