/**
 * The way from a node to a control plane over gRPC: a socket file on one machine, or a port with
 * TLS on both sides. Messages are bytes here; what they say is the matter of others. Everything is
 * safe for many threads.
 */
@NullMarked
package io.csi4j.volume.cluster.grpc;

import org.jspecify.annotations.NullMarked;
