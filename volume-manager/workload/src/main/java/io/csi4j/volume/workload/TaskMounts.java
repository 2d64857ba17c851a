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
 * The mounts for a task's runtime: bind mounts and devices, at most one for a place, in the order
 * in which they have to be made. Compares by value and does not change; adding what is there
 * already changes nothing, so that a host may add a task's volumes again after it has restored the
 * task.
 *
 * @param binds the directories, those outside before those inside
 * @param devices the block devices, by their places
 * @since 1.0
 */
public record TaskMounts(List<BindMount> binds, List<Device> devices) {

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
        devices.stream().distinct().sorted(Comparator.comparing(Device::destination)).toList();
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
  public TaskMounts with(Device device) {
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

  /**
   * A directory of the host that a runtime shows to a task: what to put into its configuration.
   *
   * @param source the directory on the host
   * @param destination where the task sees it
   * @param readOnly whether the task only reads
   * @param propagation which mounts below it the task and the host show each other
   * @param relabel how its files are labelled for SELinux, if they are
   * @since 1.0
   */
  public record BindMount(
      MountPath source,
      MountPath destination,
      boolean readOnly,
      MountPropagation propagation,
      Optional<SelinuxRelabel> relabel) {

    /** Checks that all parts are set. */
    public BindMount {
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(destination, "destination");
      Objects.requireNonNull(propagation, "propagation");
      Objects.requireNonNull(relabel, "relabel");
    }

    /** A directory as it is. */
    public static BindMount of(MountPath source, MountPath destination) {
      return new BindMount(source, destination, false, MountPropagation.PRIVATE, Optional.empty());
    }

    /**
     * Its options as an OCI runtime takes them: {@code rbind}, {@code ro} or {@code rw}, {@code
     * rprivate}, {@code rslave} or {@code rshared}. Labels are no option there; some engines take
     * the letter of {@link #relabel} after them.
     */
    public List<String> options() {
      return List.of("rbind", readOnly ? "ro" : "rw", propagation.kernel().kernelWord());
    }

    /**
     * The same for the kernel, for a host that has no runtime: the place in a task whose files are
     * below a directory. Mounts that are below the source come along; labels do not.
     *
     * @param root the directory that the task sees as its root
     */
    public BindRequest below(MountPath root) {
      return BindRequest.builder(source, below(root, destination))
          .recursive(true)
          .readOnly(readOnly)
          .propagation(propagation.kernel())
          .build();
    }

    /** Returns the mount of the same place, shown from another path of the host. */
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
   * A block device of the host that a runtime gives to a task: what to put into its configuration.
   *
   * @param source the device node on the host
   * @param destination where the task sees it
   * @param readOnly whether the task only reads
   * @since 1.0
   */
  public record Device(MountPath source, MountPath destination, boolean readOnly) {

    /** Checks that all parts are set. */
    public Device {
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(destination, "destination");
    }

    /** Returns the rights of the task, as runtimes write them: read, write, make the node. */
    public String permissions() {
      return readOnly ? "rm" : "rwm";
    }
  }

  /**
   * The mounts of a task whose volumes are held open: what the runtime is handed leads to exactly
   * what was mounted, whatever becomes of the paths meanwhile. To be closed when the runtime has
   * bound them; until then the volumes are in use. Closing it twice is harmless.
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

    /** Opens the volumes below a directory; all of them, or none. */
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
     * Returns the mounts for a runtime, with sources such as {@code /proc/PID/fd/N} in the place of
     * the volumes' paths. The runtime has to see this process, in the same mount namespace.
     */
    public TaskMounts mounts() {
      return mounts;
    }

    /** Returns what is held open: each with the number of its mount, for the host to compare. */
    public List<OpenPath> held() {
      return held;
    }

    /**
     * Returns the same for the kernel, for a host that has no runtime, in the order in which they
     * have to be made.
     *
     * @param root the directory that the task sees as its root
     */
    public List<BindRequest> below(MountPath root) {
      return mounts.binds().stream()
          .map(
              bind ->
                  BindRequest.builder(bind.source(), bind.below(root).target())
                      .followSource(true)
                      .recursive(true)
                      .readOnly(bind.readOnly())
                      .propagation(bind.propagation().kernel())
                      .build())
          .toList();
    }

    @Override
    public void close() {
      held.forEach(OpenPath::close);
    }
  }
}
