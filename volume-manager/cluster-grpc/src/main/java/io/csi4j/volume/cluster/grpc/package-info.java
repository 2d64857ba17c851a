/**
 * The transport between nodes and control planes over gRPC: a socket file on one machine, or a port
 * with TLS on both sides. Messages are bytes here; other modules encode them. Everything is safe
 * for many threads.
 */
@NullMarked
package io.csi4j.volume.cluster.grpc;

import org.jspecify.annotations.NullMarked;
