package io.csi4j.volume.internal.recovery;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds mounted uses that are not on record. Such a mount is at the target of a use, and an
 * abandoned call made it late. The path identifies the volume, so the mount can be released.
 */
public final class Strays {

  private Strays() {}

  /**
   * Adds each unrecorded use to the record of the volume, as a use to release. Returns the same
   * object if there is no such use.
   *
   * @param mounted the mounts in the directory of the volume
   */
  public static VolumeRecord with(
      VolumeLayout layout, VolumeRecord record, Collection<Sighting> mounted) {
    VolumeLayout.Home home = layout.home(record.identity());
    return with(home, record, targets(home, record), mounted);
  }

  /**
   * Works like {@link #with(VolumeLayout, VolumeRecord, Collection)}, and also marks each use as
   * uncertain that is mounted although the record says that it is not.
   */
  public static VolumeRecord come(
      VolumeLayout.Home home, VolumeRecord record, Collection<Sighting> mounted) {
    VolumeRecord now = with(home, record, targets(home, record), mounted);
    for (TargetRecord use : record.targets().values()) {
      MountPath target = home.target(use.usage());
      if (use.path().is(PathStatus.NONE)
          && mounted.stream().anyMatch(sighting -> sighting.path().equals(target))) {
        now = now.withTarget(use.with(use.path().as(PathStatus.IN_DOUBT)));
      }
    }
    return now;
  }

  /** Returns the targets of a volume's uses. */
  static Set<MountPath> targets(VolumeLayout.Home home, VolumeRecord record) {
    Set<MountPath> targets = new HashSet<>();
    for (VolumeUse usage : record.targets().keySet()) {
      targets.add(home.target(usage));
    }
    return targets;
  }

  /**
   * Works like {@link #with(VolumeLayout, VolumeRecord, Collection)}, for targets that were
   * computed before.
   *
   * @param known the targets of the volume's uses
   */
  static VolumeRecord with(
      VolumeLayout.Home home,
      VolumeRecord record,
      Set<MountPath> known,
      Collection<Sighting> mounted) {
    VolumeRecord now = record;
    MountPath uses = home.uses();
    Set<MountPath> strays = new HashSet<>();
    for (Sighting sighting : mounted) {
      MountPath path = sighting.path();
      MountPath use = path.parent();
      boolean isTarget = use.parent().equals(uses) && path.equals(use.resolve("t"));
      if (isTarget && !known.contains(path) && strays.add(path)) {
        VolumeUse stray =
            StrayUse.of(record.identity(), new String(use.name(), StandardCharsets.UTF_8));
        // A directory with any other name does not belong to a use, and the manager must not remove
        // it.
        if (StrayUse.isStray(stray)) {
          now =
              now.withTarget(new TargetRecord(stray, false, PathRecord.NONE.as(PathStatus.GOING)));
        }
      }
    }
    return now;
  }

  /** Groups mounts by the volume directory that contains them. */
  public static Map<MountPath, List<Sighting>> byVolume(
      VolumeLayout layout, Collection<Sighting> mounted) {
    Map<MountPath, List<Sighting>> byVolume = new HashMap<>();
    MountPath volumes = layout.volumes();
    for (Sighting sighting : mounted) {
      MountPath at = sighting.path();
      while (!at.isRoot() && !at.parent().equals(volumes)) {
        at = at.parent();
      }
      if (!at.isRoot()) {
        byVolume.computeIfAbsent(at, key -> new ArrayList<>()).add(sighting);
      }
    }
    return byVolume;
  }
}
