package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.PathStatus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the mounts of one volume that another program took away, once the kernel says that one is
 * gone. Used in the mailbox of the volume only.
 */
final class LostMounts {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeParts parts;
  private final DeadMountCare dead;
  private Set<MountPath> gone = Set.of();
  private boolean isAny;

  LostMounts(VolumeParts parts, DeadMountCare dead) {
    this.parts = parts;
    this.dead = dead;
  }

  /** A mount is gone, at this path or at any. */
  void went(Optional<MountPath> path) {
    isAny |= path.isEmpty();
    if (path.isPresent()) {
      gone = gone.isEmpty() ? new HashSet<>() : gone;
      gone.add(path.get());
    }
  }

  /**
   * Looks at what is said to be gone, while nothing is being done with the volume; what is on
   * record as present and is not mounted is in doubt from now on. Tells whether that is so of any.
   */
  boolean look() {
    if (gone.isEmpty() && !isAny) {
      return false;
    }
    Set<MountPath> paths = gone;
    boolean isAll = isAny;
    gone = Set.of();
    isAny = false;
    Optional<VolumeRecord> known = parts.memory().record();
    if (known.isEmpty()) {
      return false;
    }
    VolumeLayout.Home home = parts.ports().layout().home(parts.identity());
    VolumeRecord now = known.get();
    try {
      MountPath staging = home.staging();
      if ((isAll || paths.contains(staging)) && isLost(now.staging(), staging)) {
        now = now.withStaging(now.staging().as(PathStatus.IN_DOUBT));
        parts
            .report()
            .tell(
                new Notice(
                    OperatorCode.STAGING_LOST,
                    "the mount at the staging path is gone, and nobody here took it away",
                    Optional.empty()));
      }
      for (TargetRecord use : known.get().targets().values()) {
        MountPath target = home.target(use.usage());
        if ((isAll || paths.contains(target)) && isLost(use.path(), target)) {
          now = now.withTarget(use.with(use.path().as(PathStatus.IN_DOUBT)));
          dead.lost(use.usage());
        }
      }
    } catch (MountException e) {
      // The next look at the table, which comes soon, says so.
      LOG.log(Level.DEBUG, "Whether mounts of " + parts.identity() + " are gone is not known.", e);
    }
    parts.memory().set(now);
    return !now.equals(known.get());
  }

  private boolean isLost(PathRecord path, MountPath at) {
    return path.is(PathStatus.PRESENT)
        && path.evidence().isPresent()
        && parts.ports().kernel().at(at).isEmpty();
  }
}
