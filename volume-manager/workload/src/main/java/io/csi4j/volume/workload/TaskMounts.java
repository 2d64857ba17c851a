package io.csi4j.volume.workload;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The mounts for a task's runtime: bind mounts and devices, at most one for a place, in the order
 * in which they have to be made. Compares by value and does not change; adding what is there
 * already changes nothing, so that a host may add a task's volumes again after it has restored the
 * task.
 *
 * @param binds the directories, those outside before those inside
 * @param devices the block devices, by their places
 * @since 1.0
 */
public record TaskMounts(List<BindMount> binds, List<TaskDevice> devices) {

  private static final TaskMounts NONE = new TaskMounts(List.of(), List.of());

  /**
   * Puts them in order, each once.
   *
   * @throws VolumeException with {@link OperatorCode#DESTINATION_CONFLICT} for two at one place, or
   *     something inside of a device
   */
  public TaskMounts {
    binds = binds.stream().distinct().sorted(Comparator.comparing(BindMount::destination)).toList();
    devices =
        devices.stream().distinct().sorted(Comparator.comparing(TaskDevice::destination)).toList();
    check(binds, devices);
  }

  /** Nothing. */
  public static TaskMounts none() {
    return NONE;
  }

  /** These and others. */
  public TaskMounts with(TaskMounts others) {
    return new TaskMounts(
        Stream.concat(binds.stream(), others.binds.stream()).toList(),
        Stream.concat(devices.stream(), others.devices.stream()).toList());
  }

  /** These and one more directory, which need not be a volume's. */
  public TaskMounts with(BindMount bind) {
    return with(new TaskMounts(List.of(bind), List.of()));
  }

  /** These and one more device. */
  public TaskMounts with(TaskDevice device) {
    return with(new TaskMounts(List.of(), List.of(device)));
  }

  /**
   * Lets mounts below a directory be shared as the tasks want: makes each volume that is mounted
   * there, and is to propagate, a shared mount. A plugin may well have mounted it so that it shares
   * nothing; a runtime then refuses it, or nothing propagates. Doing it again changes nothing.
   *
   * @param root where volumes are mounted; mounts of the host elsewhere are left as they are
   * @param mounts the kernel's mounts
   * @throws VolumeException if a volume is not mounted there any more
   */
  public void share(MountPath root, Mounts mounts) {
    for (BindMount bind : binds) {
      if (bind.propagation() != MountPropagation.PRIVATE && bind.source().isWithin(root)) {
        try {
          mounts.setPropagation(bind.source(), Propagation.BIDIRECTIONAL, false);
        } catch (MountException failed) {
          throw notHanded(bind, failed);
        }
      }
    }
  }

  /**
   * Opens each volume that is mounted below a directory and holds it open, so that a runtime binds
   * what was mounted and not what a path leads to by then. Devices, and directories of the host
   * elsewhere, are handed over by their paths. The caller closes it when the runtime is done.
   *
   * @param root where volumes are mounted: the directory of the manager
   * @param mounts the kernel's mounts
   * @throws VolumeException if a volume is not mounted there any more, or a part of its path below
   *     the directory is a symbolic link
   */
  public HeldTaskMounts hold(MountPath root, Mounts mounts) {
    return HeldTaskMounts.of(this, root, mounts);
  }

  private static void check(List<BindMount> binds, List<TaskDevice> devices) {
    Map<MountPath, MountPath> sources = new TreeMap<>();
    binds.forEach(each -> put(sources, each.destination(), each.source()));
    devices.forEach(each -> put(sources, each.destination(), each.source()));
    for (TaskDevice device : devices) {
      for (MountPath place : sources.keySet()) {
        if (!place.equals(device.destination()) && place.isWithin(device.destination())) {
          throw conflict(
              place, "it would be inside of " + device.destination() + ", which is a device");
        }
      }
    }
  }

  private static void put(Map<MountPath, MountPath> sources, MountPath place, MountPath source) {
    MountPath before = sources.put(place, source);
    if (before != null) {
      throw conflict(
          place,
          before.equals(source)
              ? source + " would be there in two ways"
              : before + " is there, and " + source + " would be there too");
    }
  }

  /** The failure of a volume that the kernel does not hand over to a task. */
  static VolumeException notHanded(BindMount bind, MountException failed) {
    OperatorCode code =
        switch (failed.reason()) {
          case NOT_A_MOUNT, NOT_FOUND -> OperatorCode.MOUNT_MISSING;
          case SYMLINK, OUTSIDE -> OperatorCode.SYMLINK_IN_PATH;
          case BROKEN -> OperatorCode.MOUNT_BROKEN;
          case DEADLINE, STUCK -> OperatorCode.MOUNT_UNRESPONSIVE;
          case NO_MOUNT_TABLE -> OperatorCode.MOUNT_TABLE_UNREADABLE;
          default -> OperatorCode.PATH_FAILED;
        };
    return new VolumeException(
        Outcome.REFUSED,
        Messages.of(
            code,
            Subject.of("handing a volume to a task").at(bind.source()),
            String.valueOf(failed.getMessage())),
        null,
        failed);
  }

  private static VolumeException conflict(MountPath place, String seen) {
    return new VolumeException(
        Outcome.REFUSED,
        Messages.of(
            OperatorCode.DESTINATION_CONFLICT,
            Subject.of("putting together the mounts of a task").at(place),
            seen),
        null,
        null);
  }
}
