/**
 * Looking after volumes and claims from time to time: what is left over, and what differs from what
 * is on record. Start at {@link io.csi4j.volume.upkeep.Reaper}, which gives back what is not needed
 * any more, at {@link io.csi4j.volume.upkeep.DriftCheck}, which compares claims with what a storage
 * system tells, and at {@link io.csi4j.volume.upkeep.HealthMonitor}, which watches how volumes are;
 * or at {@link io.csi4j.volume.upkeep.VolumeKeeper}, which does all of it from time to time.
 *
 * <p>The first two say first what they found, and do something only when they are told to, after
 * another look; the third only tells. A reaper is used by one thread at a time; values do not
 * change.
 */
@NullMarked
package io.csi4j.volume.upkeep;

import org.jspecify.annotations.NullMarked;
