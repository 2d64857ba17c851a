package io.csi4j.mount;

import io.csi4j.mount.MountWatch.Watching;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.internal.watch.RunningWatch;
import io.csi4j.mount.model.MountEvent;
import java.util.Objects;
import java.util.function.Consumer;

/** The watch over the mounts of a Linux kernel: a thread for each listener. */
record LinuxMountWatch(Kernel kernel, KernelTable table) implements MountWatch {

  @Override
  public Watching start(Consumer<MountEvent> listener) {
    Started started = new Started(kernel, table, Objects.requireNonNull(listener, "listener"));
    started.begin();
    return started;
  }

  private static final class Started extends RunningWatch implements Watching {
    Started(Kernel kernel, KernelTable table, Consumer<MountEvent> listener) {
      super(kernel, table, listener);
    }
  }
}
