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
 * A released volume. It names the volume of the paths, so that a mount that appears there late can
 * be removed.
 *
 * @param identity the volume
 * @param plan how it was used
 * @param place where it was released
 * @param targets its last uses
 * @param abandoned the uses that an operator abandoned, each with the reason
 * @param isUnsettled whether the result of a call to mount was uncertain for a time: the plugin may
 *     carry it out even now
 * @param answered if so, the uses of which every publication has ended
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

  /** Returns whether every publication of a use has ended. */
  public boolean isAnswered(VolumeUse usage) {
    return !isUnsettled || answered.contains(usage);
  }
}
