/**
 * Volumes on the node where they are used: every node call with its request, its result and its
 * capability.
 *
 * <p>Start at {@link io.csi4j.client.node.NodeService}. Types shared with other services are in
 * {@code io.csi4j.client.model}. Only the client creates results, so later releases may add methods
 * to the result types. All values here are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.node;

import org.jspecify.annotations.NullMarked;
