package io.csi4j.volume.internal.record;

import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.List;

/**
 * What is left of a volume that was given back: whose paths there were, so that what appears there
 * late can be taken away again.
 *
 * @param identity which volume
 * @param plan how it was used
 * @param place where it was given back
 * @param targets who used it last
 */
public record Tombstone(VolumeIdentity identity, Plan plan, Place place, List<UsageKey> targets) {

  /** Copies the list. */
  public Tombstone {
    targets = List.copyOf(targets);
  }
}
