/**
 * Acquires and releases claims. Start at {@link io.csi4j.volume.claim.coordination.ClaimBook},
 * which decides by the rules and writes to a store, and at {@link
 * io.csi4j.volume.claim.coordination.ClaimCoordinator}, which also calls the storage system to
 * attach and detach. Any process can continue where another one has stopped. Safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.coordination;

import org.jspecify.annotations.NullMarked;
