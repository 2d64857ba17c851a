/**
 * Shows whether a store of claims keeps its promises, for whoever writes one. Start at {@link
 * io.csi4j.volume.claim.kit.ClaimStoreChecks}: it gives a list of checks, to be run by any test
 * library or by none. Nothing here is needed to use a store, and nothing here is about the rules of
 * claims.
 *
 * <p>Checks start threads of their own, which are daemons and end with the check. They may be run
 * side by side if the fixture can make several stores at once.
 */
@NullMarked
package io.csi4j.volume.claim.kit;

import org.jspecify.annotations.NullMarked;
