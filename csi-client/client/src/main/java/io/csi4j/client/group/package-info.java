/**
 * Snapshots of several volumes at one moment: every group controller call with its request, its
 * result and its capability.
 *
 * <p>Start at {@link io.csi4j.client.group.GroupControllerService}. What other services use too
 * lives in {@code io.csi4j.client.model}. Results are made by the client alone, and later releases
 * may give them more methods. All values here are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.group;

import org.jspecify.annotations.NullMarked;
