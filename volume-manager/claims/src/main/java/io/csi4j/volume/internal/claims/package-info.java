/**
 * The rules for claims, and the encoding of their records. Start at {@link
 * io.csi4j.volume.internal.claims.ClaimRules}, which contains all decisions about claims and
 * deletions. {@link io.csi4j.volume.internal.claims.ClaimCodec} encodes claims. {@link
 * io.csi4j.volume.internal.claims.ClaimStep} is the next step of a claim. {@link
 * io.csi4j.volume.internal.claims.RoundOfCalls} limits the calls to a plugin that does not answer.
 */
@NullMarked
package io.csi4j.volume.internal.claims;

import org.jspecify.annotations.NullMarked;
