package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares the mounts in the mount table with the requested and the recorded mounts. */
public final class Inspection {

  private static final int MOST_NAMED = 5;

  private static final String NOTHING_MADE =
      "the plugin answered OK to NodePublishVolume, but created nothing at the path";

  private Inspection() {}

  /** Returns the topmost mount. */
  public static Optional<Evidence> top(List<Sighting> stack) {
    return stack.isEmpty() ? Optional.empty() : Optional.of(stack.get(stack.size() - 1).evidence());
  }

  /**
   * Returns whether the topmost mount at a path differs from the mount that was recorded for the
   * path. If no mount was recorded, returns whether different mounts are on top of each other,
   * because then it is unknown which mount belongs to this manager.
   */
  public static boolean isForeign(PathRecord path, List<Sighting> stack) {
    if (stack.isEmpty()) {
      return false;
    }
    Evidence top = stack.get(stack.size() - 1).evidence();
    return path.evidence().isPresent()
        ? !top.looksLike(path.evidence().get())
        : !stack.stream().allMatch(layer -> layer.evidence().looksLike(top));
  }

  /** Returns the failure for a path where the topmost mount is not the expected mount. */
  public static Failure foreign(List<Sighting> stack) {
    return Failure.of(
        OperatorCode.FOREIGN_MOUNT,
        "the mount is not the one that the plugin made: "
            + stack.get(stack.size() - 1).evidence().words());
  }

  /** Returns the failure for a staged device that other programs have mounted too. */
  static Failure elsewhere(List<Sighting> mounts) {
    int more = mounts.size() - MOST_NAMED;
    return Failure.of(
        OperatorCode.MOUNTED_ELSEWHERE,
        "its device "
            + mounts.get(0).device()
            + " ("
            + mounts.get(0).evidence().source()
            + ") is mounted by another program at "
            + mounts.stream()
                .limit(MOST_NAMED)
                .map(mount -> "'" + mount.path() + "'")
                .collect(Collectors.joining(", "))
            + (more > 0 ? " and " + more + " more" : ""));
  }

  /**
   * Returns whether the mount at a path has changed from writable to read-only, or back, since it
   * was recorded.
   */
  static boolean isOtherwiseWritable(PathRecord path, List<Sighting> stack) {
    Optional<Evidence> top = top(stack);
    return top.isPresent()
        && path.evidence().filter(seen -> seen.readOnly() != top.get().readOnly()).isPresent();
  }

  /** Returns whether the mount that was recorded for a path is gone. */
  static boolean isLost(PathRecord path, List<Sighting> stack) {
    return path.evidence().isPresent() && stack.isEmpty();
  }

  /** Returns whether the topmost mount is so broken that it can only be unmounted. */
  static boolean isBroken(List<Sighting> stack) {
    return !stack.isEmpty() && stack.get(stack.size() - 1).broken();
  }

  /** Returns whether the server of the topmost mount has ended. */
  static boolean isDead(List<Sighting> stack) {
    return !stack.isEmpty() && stack.get(stack.size() - 1).health() == Sighting.Health.DEAD;
  }

  private static Failure dead(String call) {
    return Failure.of(
        OperatorCode.MOUNT_DEAD,
        "the plugin answered OK to " + call + ", but the server of the mount has ended");
  }

  /**
   * Returns the fault of a staging that the plugin has reported as successful, if there is a fault.
   */
  static Optional<Failure> staged(Event.Looked looked, MountPolicy policy) {
    if (isDead(looked.staging())) {
      return Optional.of(dead("NodeStageVolume"));
    }
    return looked.staging().isEmpty() && policy.requireStagingMount()
        ? Optional.of(
            Failure.of(
                OperatorCode.MOUNT_NOT_VISIBLE,
                "the plugin answered OK to NodeStageVolume, but nothing is mounted there"))
        : Optional.empty();
  }

  /**
   * Returns the fault of a target that the plugin has reported as successful, if there is a fault.
   */
  static Optional<Failure> published(
      Goal.Publish goal, Event.Looked looked, VolumeRecord record, MountPolicy policy) {
    if (isDead(looked.target())) {
      return Optional.of(dead("NodePublishVolume"));
    }
    if (goal.plan().block()) {
      if (isOtherDevice(record, looked)) {
        return Optional.of(
            Failure.of(
                OperatorCode.DEVICE_CHANGED,
                "the device at the staging path is not the one that was staged"));
      }
      if (looked.objection().isPresent()) {
        return looked.objection();
      }
      if (looked.device() || (looked.made() && !policy.requireDevice())) {
        return Optional.empty();
      }
      return Optional.of(
          Failure.of(
              OperatorCode.NOT_A_DEVICE,
              looked.made()
                  ? "the plugin answered OK to NodePublishVolume, but there is no block device"
                  : NOTHING_MADE));
    }
    Optional<Evidence> top = top(looked.target());
    if (top.isEmpty()) {
      if (looked.made() && !policy.requireMount()) {
        return Optional.empty();
      }
      return Optional.of(
          Failure.of(
              OperatorCode.MOUNT_NOT_VISIBLE,
              looked.made() || policy.requireMount()
                  ? "the plugin answered OK to NodePublishVolume, but nothing is mounted there"
                  : NOTHING_MADE));
    }
    if (looked.staging().isEmpty() && showsOurDirectory(record.identity(), top.get())) {
      return Optional.of(
          Failure.of(
              OperatorCode.MOUNT_NOT_VISIBLE,
              "the plugin published the staging directory with nothing mounted on it, so writes"
                  + " would go to the host's own disk"));
    }
    if (looked.objection().isPresent()) {
      return looked.objection();
    }
    if (looked.remark().isPresent() && policy.refuseHostDisk()) {
      return Optional.of(
          Failure.of(
              OperatorCode.MOUNT_IS_NOT_ITS_OWN,
              looked.remark().get().seen() + ", which the policy of the plugin refuses"));
    }
    if (goal.readOnly() && !top.get().readOnly()) {
      return Optional.of(
          Failure.of(
              OperatorCode.MOUNT_FLAGS_DIFFER, "read-only was requested, but it is writable"));
    }
    if (goal.writable() && top.get().readOnly()) {
      return Optional.of(
          Failure.of(
              OperatorCode.MOUNT_FLAGS_DIFFER, "it was requested for writing, but is read-only"));
    }
    return lacking(goal, looked.target().get(looked.target().size() - 1));
  }

  /** Returns a failure if the mount lacks requested restrictions. */
  private static Optional<Failure> lacking(Goal.Publish goal, Sighting top) {
    Set<String> lacking = new TreeSet<>(goal.limits());
    lacking.removeAll(top.limits());
    if (top.evidence().readOnly()) {
      lacking.remove("ro");
    }
    return lacking.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Failure.of(
                OperatorCode.MOUNT_FLAGS_DIFFER,
                "the mount flags "
                    + String.join(", ", lacking)
                    + " were requested, but it is mounted without"));
  }

  /** Returns whether the device at the staging path is not the device that was staged. */
  private static boolean isOtherDevice(VolumeRecord record, Event.Looked looked) {
    Optional<Evidence> now = top(looked.staging());
    Optional<Evidence> before = record.staging().evidence();
    return now.isPresent() && before.isPresent() && !now.get().looksLike(before.get());
  }

  /**
   * Returns whether a mount shows the directory that the manager has created for the volume,
   * instead of the volume itself.
   */
  private static boolean showsOurDirectory(VolumeIdentity identity, Evidence mount) {
    return mount.root().contains("/" + VolumeLayout.id(identity) + "/");
  }

  /** Returns a description of the stack if several mounts are on top of each other. */
  static Optional<String> stacked(List<Sighting> stack) {
    return stack.size() < 2
        ? Optional.empty()
        : Optional.of(stack.size() + " mounts are on top of each other");
  }
}
