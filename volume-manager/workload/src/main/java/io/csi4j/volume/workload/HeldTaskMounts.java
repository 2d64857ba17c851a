package io.csi4j.volume.workload;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OpenPath;
import java.util.ArrayList;
import java.util.List;

/**
 * The mounts of a task whose volumes are held open: what the runtime is handed leads to exactly
 * what was mounted, whatever becomes of the paths meanwhile. To be closed when the runtime has
 * bound them; until then the volumes are in use. Closing it twice is harmless.
 *
 * @since 1.0
 */
public final class HeldTaskMounts implements AutoCloseable {

  private final TaskMounts mounts;
  private final List<OpenPath> held;

  private HeldTaskMounts(TaskMounts mounts, List<OpenPath> held) {
    this.mounts = mounts;
    this.held = List.copyOf(held);
  }

  /** Opens the volumes below a directory; all of them, or none. */
  static HeldTaskMounts of(TaskMounts mounts, MountPath root, Mounts kernel) {
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
      return new HeldTaskMounts(new TaskMounts(binds, mounts.devices()), held);
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
