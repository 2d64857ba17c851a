package io.csi4j.volume.internal.record;

import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The record of a released volume. It allows the manager to remove a mount that appears late at a
 * path of the volume.
 *
 * @param identity the volume
 * @param plan the parameters with which the volume was used
 * @param place the boot and the mount namespace in which the volume was released
 * @param targets the last uses of the volume
 * @param abandoned the uses that an operator abandoned, each with the reason
 * @param isUnsettled whether a mounting call had an uncertain result, so the plugin may execute it
 *     even after the release
 * @param answered the uses whose publications have all ended; empty unless {@code isUnsettled}
 */
public record Tombstone(
    VolumeIdentity identity,
    Plan plan,
    Place place,
    List<VolumeUse> targets,
    SortedMap<VolumeUse, String> abandoned,
    boolean isUnsettled,
    SortedSet<VolumeUse> answered) {

  /** Copies the collections. */
  public Tombstone {
    targets = List.copyOf(targets);
    abandoned = Collections.unmodifiableSortedMap(new TreeMap<>(abandoned));
    answered = Collections.unmodifiableSortedSet(new TreeSet<>(answered));
  }

  /** Returns whether every publication of a use has certainly ended. */
  public boolean isAnswered(VolumeUse usage) {
    return !isUnsettled || answered.contains(usage);
  }
}
