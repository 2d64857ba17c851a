package io.csi4j.mount.internal.watch;

import io.csi4j.mount.MountEvent;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.internal.kernel.Kernel;
import java.util.Objects;
import java.util.function.Consumer;

/** The watch over the mounts of the running kernel. */
public final class LinuxMountWatch implements MountWatch {

  private final Kernel kernel;
  private final MountTable table;

  public LinuxMountWatch(Kernel kernel, MountTable table) {
    this.kernel = kernel;
    this.table = table;
  }

  @Override
  public Watching start(Consumer<MountEvent> listener) {
    return RunningWatch.start(kernel, table, Objects.requireNonNull(listener, "listener"));
  }
}
