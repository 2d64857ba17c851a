package io.csi4j.volume.internal.recovery;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.List;
import java.util.Set;

/**
 * What a start makes of what it found.
 *
 * @param volumes the volumes
 * @param tombstones what was given back
 * @param adopted the uses that are there as they were
 * @param inDoubt the uses that may be there or not
 * @param going the uses that were being given up
 * @param unknown the mounts below the root of unknown volumes
 * @param late the volumes of which something appeared after they were given back
 * @param findings what an operator may want to know
 */
public record Recovered(
    List<VolumeRecord> volumes,
    List<Tombstone> tombstones,
    List<UsageKey> adopted,
    List<UsageKey> inDoubt,
    List<UsageKey> going,
    List<MountPath> unknown,
    Set<VolumeIdentity> late,
    List<OperatorMessage> findings) {

  /** Copies the lists. */
  public Recovered {
    volumes = List.copyOf(volumes);
    tombstones = List.copyOf(tombstones);
    adopted = List.copyOf(adopted);
    inDoubt = List.copyOf(inDoubt);
    going = List.copyOf(going);
    unknown = List.copyOf(unknown);
    late = Set.copyOf(late);
    findings = List.copyOf(findings);
  }
}
