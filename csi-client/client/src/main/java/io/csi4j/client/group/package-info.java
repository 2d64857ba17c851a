/**
 * The group controller service, which takes snapshots of several volumes at one moment. This
 * package contains the request, the result and the capability of every group controller call.
 *
 * <p>Start at {@link io.csi4j.client.group.GroupControllerService}. Types shared with other
 * services are in {@code io.csi4j.client.model}. Only the client creates results, so later releases
 * may add methods to the result types. All values here are immutable and safe to share between
 * threads.
 */
@NullMarked
package io.csi4j.client.group;

import org.jspecify.annotations.NullMarked;
