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
 * The remains of a volume that was given back: whose paths there were, so that what appears there
 * late can be taken away again.
 *
 * @param identity which volume
 * @param plan how it was used
 * @param place where it was given back
 * @param targets who used it last
 * @param abandoned the uses whose release a person has ended, each with the reason given
 * @param isUnsettled whether the end of a call that mounts was not known for a time: the plugin may
 *     do it even now
 * @param answered where that is so, the uses of which every publication has ended
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

  /** Whether every publication of a use has ended. */
  public boolean isAnswered(VolumeUse usage) {
    return !isUnsettled || answered.contains(usage);
  }
}
