/**
 * Claims to volumes across machines: the values and the rules. Start at {@link
 * io.csi4j.volume.claim.Claim}; {@code ClaimRules}, in {@code internal.claims}, is the table by
 * which everything is decided. {@code claim.coordination} takes claims and gives them back, {@code
 * claim.view} shows them, {@code volume.store} keeps them, {@code claim.spi} is for authors of a
 * storage controller.
 *
 * <p>A claim is no lock with a timer: it moves on proof, never because time has passed. Values do
 * not change.
 */
@NullMarked
package io.csi4j.volume.claim;

import org.jspecify.annotations.NullMarked;
