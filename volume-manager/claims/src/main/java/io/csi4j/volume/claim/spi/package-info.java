/**
 * The duties of a store of claims: {@link io.csi4j.volume.claim.spi.ClaimStore} and its values, for
 * authors of one. The checks that a store is held against are in the artifact csi4j-conformance. A
 * user of claims needs nothing of this package but the exception.
 */
@NullMarked
package io.csi4j.volume.claim.spi;

import org.jspecify.annotations.NullMarked;
