package io.csi4j.mount;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.internal.watch.RunningWatch;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountSnapshot;
import java.util.Objects;
import java.util.function.Consumer;

/** The watch over the mounts of a Linux kernel. */
final class LinuxMountWatch implements MountWatch {

  private final Kernel kernel;
  private final KernelTable table;

  LinuxMountWatch(Kernel kernel, KernelTable table) {
    this.kernel = kernel;
    this.table = table;
  }

  @Override
  public Watching start(Consumer<MountEvent> listener) {
    return new Started(
        RunningWatch.start(kernel, table, Objects.requireNonNull(listener, "listener")));
  }

  /** A watch as its caller sees it. */
  private record Started(RunningWatch watch) implements Watching {

    @Override
    public MountSnapshot start() {
      return watch.start();
    }

    @Override
    public String source() {
      return watch.source();
    }

    @Override
    public void close() {
      watch.close();
    }

    @Override
    public String toString() {
      return watch.toString();
    }
  }
}
