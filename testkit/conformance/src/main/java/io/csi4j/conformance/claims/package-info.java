/**
 * The words of the checks for stores of claims: a {@link
 * io.csi4j.conformance.claims.ClaimStoreFixture fixture} makes the stores, each {@link
 * io.csi4j.conformance.claims.ClaimStoreCheck check} sees whether one promise is kept. {@link
 * io.csi4j.conformance.ClaimStoreChecks} lists them for any test library or for none.
 *
 * <p>A check starts daemon threads, which end with the check. Checks may run side by side if the
 * fixture can make several stores at once. The rules of claims are not checked here.
 */
@NullMarked
package io.csi4j.conformance.claims;

import org.jspecify.annotations.NullMarked;
