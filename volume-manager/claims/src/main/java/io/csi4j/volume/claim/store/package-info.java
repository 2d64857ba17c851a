/**
 * Stores of claims for one machine: {@link io.csi4j.volume.claim.store.LocalClaimStore} on its
 * disk, {@link io.csi4j.volume.claim.store.MemoryClaimStore} in the process. For more than one
 * machine there are the artifacts csi4j-claims-etcd and csi4j-claims-jdbc. No rule about claims
 * stands here.
 */
@NullMarked
package io.csi4j.volume.claim.store;

import org.jspecify.annotations.NullMarked;
