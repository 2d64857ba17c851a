/**
 * Periodic upkeep of volumes and claims: leftovers, and differences from the records. Start at
 * {@link io.csi4j.volume.upkeep.Reaper}, which releases what is no longer needed, at {@link
 * io.csi4j.volume.upkeep.DriftCheck}, which compares claims with the state that a storage system
 * reports, and at {@link io.csi4j.volume.upkeep.HealthMonitor}, which monitors the health of
 * volumes; or at {@link io.csi4j.volume.upkeep.VolumeKeeper}, which runs all of them periodically.
 *
 * <p>The first two report their findings first, and act only when requested, after a second check;
 * the third only reports. A reaper is used by one thread at a time; values are immutable.
 */
@NullMarked
package io.csi4j.volume.upkeep;

import org.jspecify.annotations.NullMarked;
