package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds what is mounted in the directory of the manager at a path that is neither a staging path
 * nor a target, as a plugin does that mounts elsewhere than asked; each told once.
 */
final class UnexpectedMounts {

  private static final Subject LOOKING = Subject.of("looking at what is mounted");

  private final KernelMounts kernel;
  private final VolumeLayout layout;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<MountPath> told = new HashSet<>();

  UnexpectedMounts(KernelMounts kernel, VolumeLayout layout) {
    this.kernel = kernel;
    this.layout = layout;
  }

  /** Knows the mounts that were found, and told, at the start. */
  void know(Collection<MountPath> found) {
    lock.lock();
    try {
      told.addAll(found);
    } finally {
      lock.unlock();
    }
  }

  /** Looks, and gives what is new. */
  List<OperatorMessage> look() {
    try {
      return among(kernel.beneath(layout.root()));
    } catch (MountException e) {
      // Each step looks for itself, and says so.
      return List.of();
    }
  }

  /** Returns messages about the unexpected mounts among these that were not told yet. */
  List<OperatorMessage> among(Collection<Sighting> mounted) {
    List<OperatorMessage> news = new ArrayList<>();
    lock.lock();
    try {
      for (Sighting sighting : mounted) {
        MountPath path = sighting.path();
        if (!isOfAVolume(path) && told.add(path)) {
          news.add(
              Messages.of(
                  OperatorCode.UNEXPECTED_MOUNT,
                  LOOKING.at(path),
                  "it is neither a staging path nor a target: " + sighting.evidence().words()));
        }
      }
    } finally {
      lock.unlock();
    }
    return news;
  }

  /** Whether a path is a staging path or a target of whichever volume, or inside of one. */
  private boolean isOfAVolume(MountPath path) {
    for (MountPath at = path; !at.isRoot() && !at.equals(layout.volumes()); at = at.parent()) {
      if (layout.isStagingOrTarget(at)) {
        return true;
      }
    }
    return path.equals(layout.volumes());
  }
}
