/**
 * Claims of volumes across nodes: the values and the rules. Start at {@link
 * io.csi4j.volume.claim.Claim}; {@code ClaimRules}, in {@code internal.claims}, is the table for
 * all decisions. {@code claim.coordination} acquires and releases claims, {@code claim.view} shows
 * them, {@code volume.store} stores them, {@code claim.spi} is for authors of a storage controller.
 *
 * <p>A claim is not a lock with a timeout: it ends on proof, never because time has passed. Values
 * are immutable.
 */
@NullMarked
package io.csi4j.volume.claim;

import org.jspecify.annotations.NullMarked;
