/**
 * Acquires and releases claims. Start at {@link io.csi4j.volume.claim.coordination.ClaimBook},
 * which applies the rules and writes claims to a store, and at {@link
 * io.csi4j.volume.claim.coordination.ClaimCoordinator}, which also calls the storage system to
 * attach and detach volumes. If a process stops, any other process can continue its work. All
 * public types are thread-safe.
 */
@NullMarked
package io.csi4j.volume.claim.coordination;

import org.jspecify.annotations.NullMarked;
