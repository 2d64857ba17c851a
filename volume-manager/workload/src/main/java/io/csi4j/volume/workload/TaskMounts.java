package io.csi4j.volume.workload;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.workload.VolumeMount.SelinuxRelabel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The mounts that a runtime must make for a task: bind mounts and devices, in the order in which
 * they must be made. Each destination has at most one mount. Immutable, with value equality. Adding
 * an existing mount has no effect, so a host may add a task's volumes again after it has restored
 * the task.
 *
 * @param binds the directories, sorted so that a directory comes before the directories inside it
 * @param devices the block devices, sorted by destination
 * @since 1.0
 */
public record TaskMounts(List<BindMount> binds, List<Device> devices) {

  private static final TaskMounts NONE = new TaskMounts(List.of(), List.of());

  /**
   * Sorts the mounts and removes duplicates.
   *
   * @throws VolumeException with {@link OperatorCode#DESTINATION_CONFLICT} if two mounts have the
   *     same destination, or if a destination is inside a device
   */
  public TaskMounts {
    binds = binds.stream().distinct().sorted(Comparator.comparing(BindMount::destination)).toList();
    devices =
        devices.stream().distinct().sorted(Comparator.comparing(Device::destination)).toList();
    check(binds, devices);
  }

  /** Returns an object without mounts. */
  public static TaskMounts none() {
    return NONE;
  }

  /** Returns these mounts together with other mounts. */
  public TaskMounts with(TaskMounts others) {
    return new TaskMounts(
        Stream.concat(binds.stream(), others.binds.stream()).toList(),
        Stream.concat(devices.stream(), others.devices.stream()).toList());
  }

  /** Returns these mounts with an additional directory, which need not be a volume. */
  public TaskMounts with(BindMount bind) {
    return with(new TaskMounts(List.of(bind), List.of()));
  }

  /** Returns these mounts with an additional device. */
  public TaskMounts with(Device device) {
    return with(new TaskMounts(List.of(), List.of(device)));
  }

  /**
   * Prepares propagation. Each volume below the root that will be mounted with propagation becomes
   * a shared mount. A plugin may have mounted the volume as a private mount, which a runtime would
   * refuse or which would propagate nothing. Repeating this has no effect.
   *
   * @param root the directory of volume mounts; mounts outside this directory are not changed
   * @param mounts the interface to the mounts of the kernel
   * @throws VolumeException if a volume is no longer mounted at its path
   */
  public void share(MountPath root, Mounts mounts) {
    for (BindMount bind : binds) {
      if (bind.propagation() != Propagation.PRIVATE && bind.source().isWithin(root)) {
        try {
          mounts.setPropagation(bind.source(), Propagation.BIDIRECTIONAL, false);
        } catch (MountException failed) {
          throw notHanded(bind, failed);
        }
      }
    }
  }

  /**
   * Opens each volume below the root and holds it open, so that a runtime mounts the original
   * volume even if the path changes in the meantime. Devices and directories outside the root are
   * not opened, and keep their paths. The caller must close the result after the runtime has made
   * the mounts.
   *
   * @param root the manager's directory of volume mounts
   * @param mounts the interface to the mounts of the kernel
   * @throws VolumeException if a volume is no longer mounted at its path, or if its path below the
   *     root contains a symbolic link
   */
  public Held hold(MountPath root, Mounts mounts) {
    return Held.of(this, root, mounts);
  }

  private static void check(List<BindMount> binds, List<Device> devices) {
    Map<MountPath, MountPath> sources = new TreeMap<>();
    binds.forEach(each -> put(sources, each.destination(), each.source()));
    devices.forEach(each -> put(sources, each.destination(), each.source()));
    for (Device device : devices) {
      for (MountPath place : sources.keySet()) {
        if (!place.equals(device.destination()) && place.isWithin(device.destination())) {
          throw conflict(
              place, "it would be inside " + device.destination() + ", which is a device");
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
              ? source + " would be mounted there in two ways"
              : before + " is mounted there, and " + source + " would be too");
    }
  }

  /** Returns the exception for a volume that could not be opened or shared for a task. */
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
            Subject.of("assembling the mounts of a task").at(place),
            seen),
        null,
        null);
  }

  /**
   * A directory of the host that a runtime must bind-mount into a task.
   *
   * @param source the directory on the host
   * @param destination the path in the task
   * @param readOnly whether the task only reads
   * @param propagation whether mounts below the directory propagate between task and host
   * @param relabel whether the runtime relabels the files for SELinux, and for which tasks
   * @since 1.0
   */
  public record BindMount(
      MountPath source,
      MountPath destination,
      boolean readOnly,
      Propagation propagation,
      Optional<SelinuxRelabel> relabel) {

    /** Checks that all parts are set. */
    public BindMount {
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(destination, "destination");
      Objects.requireNonNull(propagation, "propagation");
      Objects.requireNonNull(relabel, "relabel");
    }

    /** Returns a writable mount without propagation and relabelling. */
    public static BindMount of(MountPath source, MountPath destination) {
      return new BindMount(source, destination, false, Propagation.PRIVATE, Optional.empty());
    }

    /**
     * Returns the mount options for an OCI runtime: {@code rbind}; then {@code ro} or {@code rw};
     * then {@code rprivate}, {@code rslave} or {@code rshared}. OCI has no option for relabelling,
     * but some engines accept the letter of {@link #relabel} after these options.
     */
    public List<String> options() {
      return List.of("rbind", readOnly ? "ro" : "rw", propagation.kernelWord());
    }

    /**
     * Returns the mount as a request to the kernel, for a host that has no runtime and keeps the
     * files of each task below a directory. Mounts below the source are included. Files are not
     * relabelled.
     *
     * @param root the directory that is the root directory of the task
     */
    public BindRequest below(MountPath root) {
      return BindRequest.builder(source, below(root, destination))
          .recursive(true)
          .readOnly(readOnly)
          .propagation(propagation)
          .build();
    }

    /** Returns this mount with another source. */
    BindMount from(MountPath other) {
      return new BindMount(other, destination, readOnly, propagation, relabel);
    }

    private static MountPath below(MountPath root, MountPath destination) {
      byte[] above = root.isRoot() ? new byte[0] : root.bytes();
      byte[] below = destination.bytes();
      byte[] joined = Arrays.copyOf(above, above.length + below.length);
      System.arraycopy(below, 0, joined, above.length, below.length);
      return MountPath.ofBytes(joined);
    }
  }

  /**
   * A block device of the host that a runtime must make available in a task.
   *
   * @param source the device node on the host
   * @param destination the path in the task
   * @param readOnly whether the task only reads
   * @since 1.0
   */
  public record Device(MountPath source, MountPath destination, boolean readOnly) {

    /** Checks that all parts are set. */
    public Device {
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(destination, "destination");
    }

    /**
     * Returns the task's permissions in the notation of runtimes: {@code r} for read, {@code w} for
     * write and {@code m} for mknod.
     */
    public String permissions() {
      return readOnly ? "rm" : "rwm";
    }
  }

  /**
   * The mounts of a task whose volumes are held open. The sources of the mounts lead to the
   * original volumes even if their paths change. Close this object after the runtime has made the
   * mounts; until then, the volumes cannot be unmounted. Closing again has no effect.
   *
   * @since 1.0
   */
  public static final class Held implements AutoCloseable {

    private final TaskMounts mounts;
    private final List<OpenPath> held;

    private Held(TaskMounts mounts, List<OpenPath> held) {
      this.mounts = mounts;
      this.held = List.copyOf(held);
    }

    /**
     * Opens the volumes below a directory. If a volume cannot be opened, all of them are closed.
     */
    static Held of(TaskMounts mounts, MountPath root, Mounts kernel) {
      List<OpenPath> held = new ArrayList<>();
      List<BindMount> binds = new ArrayList<>();
      boolean isWhole = false;
      try {
        for (BindMount bind : mounts.binds()) {
          if (bind.source().isWithin(root)) {
            OpenPath volume = opened(kernel, root, bind);
            held.add(volume);
            binds.add(bind.from(volume.throughProc()));
          } else {
            binds.add(bind);
          }
        }
        isWhole = true;
        return new Held(new TaskMounts(binds, mounts.devices()), held);
      } finally {
        if (!isWhole) {
          held.forEach(OpenPath::close);
        }
      }
    }

    private static OpenPath opened(Mounts kernel, MountPath root, BindMount bind) {
      try {
        return kernel.beneath(root).open(bind.source());
      } catch (MountException failed) {
        throw TaskMounts.notHanded(bind, failed);
      }
    }

    /**
     * Returns the mounts for a runtime, with sources such as {@code /proc/PID/fd/N} instead of the
     * volumes' paths. The runtime must run in the same mount namespace, and must have access to
     * this process in {@code /proc}.
     */
    public TaskMounts mounts() {
      return mounts;
    }

    /** Returns the open paths. Each has the number of its mount, which the host can compare. */
    public List<OpenPath> held() {
      return held;
    }

    /**
     * Returns the mounts as requests to the kernel, for a host without a runtime. The requests are
     * in the order in which they must be made.
     *
     * @param root the directory that is the root directory of the task
     */
    public List<BindRequest> below(MountPath root) {
      return mounts.binds().stream()
          .map(
              bind ->
                  BindRequest.builder(bind.source(), bind.below(root).target())
                      .followSource(true)
                      .recursive(true)
                      .readOnly(bind.readOnly())
                      .propagation(bind.propagation())
                      .build())
          .toList();
    }

    @Override
    public void close() {
      held.forEach(OpenPath::close);
    }
  }
}
