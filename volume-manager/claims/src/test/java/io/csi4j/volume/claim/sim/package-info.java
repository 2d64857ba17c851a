/**
 * Claims under a seed: the real coordinator in several processes, with nodes, a store and a storage
 * system that do everything that can go wrong. Start at {@link
 * io.csi4j.volume.claim.sim.ClaimSimulationTest}, or with {@code volume-manager/claims/simulate}.
 */
package io.csi4j.volume.claim.sim;
