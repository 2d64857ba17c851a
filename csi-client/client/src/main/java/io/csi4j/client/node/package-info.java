/**
 * The node service, which makes volumes available on the node where they are used. This package
 * contains the request, the result and the capability of every node call.
 *
 * <p>Start at {@link io.csi4j.client.node.NodeService}. Types shared with other services are in
 * {@code io.csi4j.client.model}. Only the client creates results, so later releases may add methods
 * to the result types. All values here are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.node;

import org.jspecify.annotations.NullMarked;
