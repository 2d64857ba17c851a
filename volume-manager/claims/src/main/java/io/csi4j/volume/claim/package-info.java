/**
 * The values of claims, which reserve volumes for workloads across the nodes of a cluster. Start at
 * {@link io.csi4j.volume.claim.Claim}. All decisions about claims are made by {@code ClaimRules} in
 * {@code internal.claims}. The package {@code claim.coordination} acquires and releases claims,
 * {@code claim.view} shows them, and {@code volume.store} stores them. The package {@code
 * claim.spi} is for authors of a storage controller.
 *
 * <p>A claim is not a lock with a timeout. It ends only when the node is proven to have unmounted
 * the volume, never because time has passed. Values are immutable.
 */
@NullMarked
package io.csi4j.volume.claim;

import org.jspecify.annotations.NullMarked;
