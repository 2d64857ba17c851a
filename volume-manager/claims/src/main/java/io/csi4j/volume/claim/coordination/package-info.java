/**
 * Takes claims and gives them back. Start at {@link io.csi4j.volume.claim.coordination.ClaimBook},
 * which decides by the rules and writes to a store, and at {@link
 * io.csi4j.volume.claim.coordination.ClaimCoordinator}, which also has the storage system attach
 * and detach. Any process goes on where another one has died. Safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.coordination;

import org.jspecify.annotations.NullMarked;
