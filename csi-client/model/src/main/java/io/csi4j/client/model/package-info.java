/**
 * The types shared by all services of CSI: ids, capabilities, contexts, secrets, operations, status
 * codes, failures and their meanings, and the options and events of a connection.
 *
 * <p>Start at {@link io.csi4j.client.model.CsiOperation} for the calls, at {@link
 * io.csi4j.client.model.CsiException} for their failures, and at {@link
 * io.csi4j.client.model.VolumeCapability} for the uses of a volume. A type that only one service
 * uses is in the package of that service. The code that sends calls is in the client. This package
 * needs neither gRPC nor protobuf.
 *
 * <p>All values are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.model;

import org.jspecify.annotations.NullMarked;
