/**
 * Who may use a volume, across machines. Start at {@link io.csi4j.volume.claim.ClaimBook}, which
 * takes claims and gives them back; {@link io.csi4j.volume.claim.ClaimRules} is the table by which
 * it decides, and {@link io.csi4j.volume.claim.ClaimStore} what it needs of a store.
 *
 * <p>A node is told how to hold itself to claims by {@link io.csi4j.volume.claim.NodeClaims}; what
 * it proves is a {@link io.csi4j.volume.claim.NodeReceipt}. The way there and back is {@link
 * io.csi4j.volume.claim.ClaimCoordinator}'s; what is left over, and what differs from the storage
 * system, is {@link io.csi4j.volume.upkeep}'s.
 *
 * <p>A claim is no lock with a timer: it moves on proof, never because time has passed. Making a
 * volume appear on a node is {@link io.csi4j.volume.VolumeManager}'s. Everything here is safe for
 * many threads, values do not change.
 */
@NullMarked
package io.csi4j.volume.claim;

import org.jspecify.annotations.NullMarked;
