package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.testkit.internal.backend.State;
import java.io.IOException;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rest of a saved state: stagings and publications whose mounts are gone, as after a reboot,
 * are forgotten, so that the caller is told to make them again.
 */
final class SurvivingUses {

  private static final System.Logger LOG = System.getLogger("io.csi4j.testkit.hostpath");

  private final VolumeMountIndex sight;
  private final Layout layout;
  private final LoopDevices loops;

  SurvivingUses(VolumeMountIndex sight, Layout layout, LoopDevices loops) {
    this.sight = sight;
    this.layout = layout;
    this.loops = loops;
  }

  /** The state without what the kernel does not show any more. */
  State of(State saved) throws IOException {
    State state = saved.copy();
    MountSnapshot now = sight.now();
    for (var each = state.publications().values().iterator(); each.hasNext(); ) {
      var published = each.next();
      String target = published.getTargetPath();
      drop(each, isShown(published.getVolumeId(), target, now), "published", target);
    }
    for (var each = state.stagings().values().iterator(); each.hasNext(); ) {
      var staged = each.next();
      String path = staged.getStagingTargetPath();
      drop(each, isStaged(staged.getVolumeId(), path, now), "staged", path);
    }
    Set<String> strangers = Layout.names(layout.volumes());
    state.volumes().keySet().forEach(id -> strangers.remove(Layout.name(id)));
    if (!strangers.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The directory {0} holds volumes that nobody knows, {1}: calls that made them were cut"
              + " off. They can be removed by hand.",
          layout.volumes(),
          new TreeSet<>(strangers));
    }
    return state;
  }

  private static void drop(Iterator<?> each, boolean isThere, String what, String path) {
    if (!isThere) {
      LOG.log(
          System.Logger.Level.WARNING,
          "A volume was {0} at {1}, and is not any more: the mount is gone, as after a reboot.",
          what,
          SafeText.quote(path));
      each.remove();
    }
  }

  private boolean isStaged(String id, String path, MountSnapshot now) throws IOException {
    Optional<StoredBytes> volume = layout.volumeBytes(id);
    if (volume.isPresent() && volume.get().medium().isBlock()) {
      return volume.get().medium() == Medium.FILE || !loops.of(volume.get().content()).isEmpty();
    }
    return isShown(id, path, now);
  }

  private boolean isShown(String id, String path, MountSnapshot now) throws IOException {
    Optional<StoredBytes> volume = layout.volumeBytes(id);
    if (volume.isEmpty()) {
      return false;
    }
    Optional<MountRecord> top = now.at(MountPath.of(path));
    return top.filter(sight.shows(volume.get(), now)).isPresent();
  }
}
