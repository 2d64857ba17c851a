/**
 * Who may use a volume, across machines. Start at {@link io.csi4j.volume.claim.ClaimBook}, which
 * takes claims and gives them back; {@link io.csi4j.volume.claim.ClaimRules} is the table by which
 * it decides, and {@link io.csi4j.volume.claim.ClaimStore} what it needs of a store.
 *
 * <p>A node is told how to hold itself to claims by {@link io.csi4j.volume.claim.NodeClaims}; what
 * it proves is a {@link io.csi4j.volume.claim.NodeReceipt}. {@link io.csi4j.volume.claim.Reaper}
 * gives back what is left over, {@link io.csi4j.volume.claim.DriftCheck} compares with the storage
 * system.
 *
 * <p>A claim is no lock with a timer: it moves on proof, never because time has passed. Making a
 * volume appear on a node is {@link io.csi4j.volume.VolumeManager}'s. Everything here is safe for
 * many threads, values do not change.
 */
@NullMarked
package io.csi4j.volume.claim;

import org.jspecify.annotations.NullMarked;
