/**
 * The checks behind {@link io.csi4j.volume.claim.kit.ClaimStoreChecks}. Start at {@code AllChecks}:
 * each other class whose name ends in {@code Checks} holds those of one subject. A check uses the
 * store through a {@code Scene}, and nothing of a store but its interface.
 */
@NullMarked
package io.csi4j.volume.internal.claimkit;

import org.jspecify.annotations.NullMarked;
