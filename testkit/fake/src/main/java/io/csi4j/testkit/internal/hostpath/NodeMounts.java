package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.internal.hostpath.Layout.StoredBytes;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The mounts of volumes at the paths of the caller. Only mounts of the volume are taken away. */
final class NodeMounts {

  /** As many as {@link Mounts#cleanup} takes away. */
  private static final int MAX_STACK = 64;

  private final Layout layout;
  private final Mounts mounts;
  private final VolumeMountIndex sight;
  private final UnmountPolicy policy;

  NodeMounts(Layout layout, Mounts mounts, VolumeMountIndex sight, UnmountPolicy policy) {
    this.layout = layout;
    this.mounts = mounts;
    this.sight = sight;
    this.policy = policy;
  }

  /** Shows a volume at a directory of the caller. */
  void stage(StoredBytes volume, MountPath staging, Set<MountFlag> flags) throws Refusal {
    refuseData(staging);
    bind(MountPath.of(volume.content()), staging, flags, false);
  }

  /** Shows what is at {@code source} at a path that is made if it is missing. */
  void publish(MountPath source, MountPath target, Set<MountFlag> flags) throws Refusal {
    refuseData(target);
    bind(source, target, flags, true);
  }

  private void bind(MountPath source, MountPath target, Set<MountFlag> flags, boolean create) {
    BindRequest.Builder request =
        BindRequest.builder(source, target).propagation(Propagation.PRIVATE);
    flags.forEach(request::flag);
    if (create) {
      request.createTarget();
    }
    mounts.bind(request.build());
  }

  /** Whether a volume is shown at a path. */
  boolean shows(StoredBytes volume, MountPath at) throws IOException {
    return sight.at(at).filter(sight.shows(volume, sight.now())).isPresent();
  }

  /** Takes away the mounts of a volume at a path. If none is there, nothing is done. */
  void unmount(String id, MountPath at) throws IOException, Refusal {
    MountSnapshot now = sight.now();
    Predicate<MountRecord> ours = mount -> VolumeMountIndex.isFreeLoop(mount, now);
    for (StoredBytes volume : layout.tracesOf(id)) {
      ours = ours.or(sight.shows(volume, now));
    }
    for (int i = 0; i < MAX_STACK; i++) {
      Optional<MountRecord> top = sight.at(at);
      if (top.isEmpty()) {
        return;
      }
      if (!ours.test(top.get())) {
        throw new Refusal(
            StatusCode.INTERNAL,
            "The volume "
                + SafeText.quote(id)
                + " cannot be taken away from "
                + at
                + ": something else is mounted there, "
                + top.get()
                + ". Unmount that first.");
      }
      mounts.unmount(top.get().ref(), policy);
    }
    throw new Refusal(
        StatusCode.INTERNAL,
        "The path " + at + " has more than " + MAX_STACK + " mounts. Look who makes them.");
  }

  /** Removes the empty directory or file at which a volume was published. */
  void remove(MountPath target) throws Refusal {
    refuseData(target);
    CleanupResult result = mounts.cleanup(target, policy);
    if (result.problem().isPresent()) {
      throw result.problem().get();
    }
    if (result.outcome() == CleanupResult.Outcome.NOT_EMPTY) {
      throw new Refusal(
          StatusCode.INTERNAL,
          "The target path "
              + target
              + " cannot be removed: nothing is mounted there any more, and it is not empty. Move"
              + " what is in it to where it belongs.");
    }
  }

  /** Nothing of the caller may be in the directory of the plugin, or hide it. */
  private void refuseData(MountPath path) throws Refusal {
    MountPath data = MountPath.of(layout.data());
    if (path.isWithin(data) || data.isWithin(path)) {
      throw new Refusal(
          StatusCode.INVALID_ARGUMENT,
          "The path "
              + path
              + " cannot be used: the plugin has its own files in "
              + data
              + ". Use one beside it.");
    }
  }
}
