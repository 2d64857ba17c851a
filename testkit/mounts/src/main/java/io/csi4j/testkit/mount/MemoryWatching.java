package io.csi4j.testkit.mount;

import io.csi4j.mount.MountWatch.Watching;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountEvent.Attached;
import io.csi4j.mount.model.MountEvent.Changed;
import io.csi4j.mount.model.MountEvent.Detached;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A watch of one namespace, notified by each change. It has no thread: the thread that makes a
 * change delivers it before its call returns, unless another thread is delivering, which then
 * delivers this change as well.
 */
final class MemoryWatching implements Watching {

  private final MemoryKernel kernel;
  private final Table table;
  private final MountSnapshot start;
  private final Consumer<MountEvent> listener;
  private final Map<Long, MountRecord> seen = new HashMap<>();
  private final Queue<MountEvent> events = new ArrayDeque<>();
  private @Nullable Thread teller;
  private boolean closed;

  /** Starts the watch; the kernel's lock is held. */
  MemoryWatching(
      MemoryKernel kernel, Table table, MountSnapshot start, Consumer<MountEvent> listener) {
    this.kernel = kernel;
    this.table = table;
    this.start = start;
    this.listener = listener;
    for (Mount mount : table.all()) {
      seen.put(mount.uniqueId, Records.record(mount, kernel.boot()));
    }
    table.watchings.add(this);
  }

  @Override
  public MountSnapshot start() {
    return start;
  }

  @Override
  public String source() {
    return "the kernel in memory";
  }

  /** Collects the events for these mounts; the kernel's lock is held. */
  void note(List<Long> touched) {
    for (Long id : touched) {
      Mount mount = table.get(id);
      if (mount == null) {
        MountRecord gone = seen.remove(id);
        if (gone != null) {
          events.add(new Detached(gone, OptionalLong.empty()));
        }
        continue;
      }
      MountRecord now = Records.record(mount, kernel.boot());
      MountRecord before = seen.put(id, now);
      if (before == null) {
        events.add(new Attached(now, OptionalLong.empty()));
      } else if (!before.equals(now)) {
        events.add(new Changed(before, now));
      }
    }
  }

  /**
   * Delivers the collected events, unless another thread, or a caller of this thread, is delivering
   * already.
   */
  void deliver() {
    for (MountEvent event = take(); event != null; event = take()) {
      Thread thread = Thread.currentThread();
      try {
        listener.accept(event);
      } catch (RuntimeException e) {
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      } finally {
        kernel.lock.lock();
        try {
          teller = null;
          kernel.told.signalAll();
        } finally {
          kernel.lock.unlock();
        }
      }
    }
  }

  private @Nullable MountEvent take() {
    kernel.lock.lock();
    try {
      if (teller != null || closed || events.isEmpty()) {
        return null;
      }
      teller = Thread.currentThread();
      return events.remove();
    } finally {
      kernel.lock.unlock();
    }
  }

  @Override
  public void close() {
    kernel.lock.lock();
    try {
      end();
      while (teller != null && teller != Thread.currentThread()) {
        kernel.told.awaitUninterruptibly();
      }
    } finally {
      kernel.lock.unlock();
    }
  }

  /** Ends the watch without waiting; the kernel's lock is held. */
  void end() {
    closed = true;
    events.clear();
    table.watchings.remove(this);
  }
}
