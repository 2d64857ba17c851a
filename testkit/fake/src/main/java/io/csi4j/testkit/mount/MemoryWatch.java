package io.csi4j.testkit.mount;

import io.csi4j.mount.MountWatch;
import io.csi4j.mount.model.MountEvent;
import java.util.function.Consumer;

/**
 * Watches of one namespace. They have no thread: a change is told on the thread that makes it,
 * before its call returns, unless another thread is telling, which then goes on with it.
 */
final class MemoryWatch implements MountWatch {

  private final MemoryNamespace namespace;
  private final MemoryTable table;

  MemoryWatch(MemoryNamespace namespace, MemoryTable table) {
    this.namespace = namespace;
    this.table = table;
  }

  @Override
  public Watching start(Consumer<MountEvent> listener) {
    MemoryKernel kernel = namespace.kernel();
    return kernel.call(
        () -> new MemoryWatching(kernel, namespace.current(), table.list(), listener));
  }
}
