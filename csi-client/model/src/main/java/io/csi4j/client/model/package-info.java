/**
 * The words that all services of CSI share: ids, capabilities, contexts, secrets, operations,
 * status codes, failures and what they mean, and the options and events of a connection.
 *
 * <p>Start at {@link io.csi4j.client.model.CsiOperation} for the calls, at {@link
 * io.csi4j.client.model.CsiException} for what can go wrong with them, and at {@link
 * io.csi4j.client.model.VolumeCapability} for how a volume is used. What only one service knows
 * belongs to that service's package, and how a call travels belongs to the client. Nothing here
 * needs gRPC or protobuf.
 *
 * <p>All values are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.model;

import org.jspecify.annotations.NullMarked;
