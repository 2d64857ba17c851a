/**
 * The rules of claims, and the form of their records. Start at {@link
 * io.csi4j.volume.internal.claims.ClaimRules}, the decision table for claims and deletions; {@link
 * io.csi4j.volume.internal.claims.ClaimCodec} is the form. {@link
 * io.csi4j.volume.internal.claims.RoundOfCalls} limits the time that a plugin without an answer
 * takes of a round over many claims, {@link io.csi4j.volume.internal.claims.ClaimStep} is the next
 * step of a claim.
 */
@NullMarked
package io.csi4j.volume.internal.claims;

import org.jspecify.annotations.NullMarked;
