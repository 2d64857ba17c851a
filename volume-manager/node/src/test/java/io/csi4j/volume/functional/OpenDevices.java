package io.csi4j.volume.functional;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.real.HeldDevices;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The devices that a process has open. A process that ends has none. */
final class OpenDevices implements HeldDevices.Opener {

  private final Set<MountPath> open = ConcurrentHashMap.newKeySet();
  private final Queue<String> asked = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable IOException> refusal = new AtomicReference<>();
  private final Queue<Runnable> stuck = new ConcurrentLinkedQueue<>();
  private volatile boolean isStuck;

  @Override
  public Closeable open(MountPath path, String number) throws IOException {
    asked.add(number);
    IOException refused = refusal.get();
    if (refused != null) {
      throw refused;
    }
    open.add(path);
    return () -> open.remove(path);
  }

  /** Which are open, by their nodes. */
  Set<MountPath> open() {
    return Set.copyOf(open);
  }

  /** The numbers of the devices that were to be opened, in order. */
  List<String> asked() {
    return List.copyOf(asked);
  }

  /** Opens no device from now on. */
  void refuse(IOException why) {
    refusal.set(why);
  }

  /** Opens devices again. */
  void relent() {
    refusal.set(null);
  }

  /** Goes on with what would have taken for ever. */
  void loosen() {
    isStuck = false;
    for (Runnable work = stuck.poll(); work != null; work = stuck.poll()) {
      work.run();
    }
  }

  /** What comes from now on takes no time; what was begun before still takes for ever. */
  void unstick() {
    isStuck = false;
  }

  /** Lets whatever is opened or closed from now on take for ever. */
  void stick() {
    isStuck = true;
  }

  /** The process has ended. */
  void processEnded() {
    open.clear();
    stuck.clear();
    isStuck = false;
  }

  /** Returns where the process opens and closes them. */
  Executor on(Executor threads) {
    return work -> {
      if (isStuck) {
        stuck.add(work);
      } else {
        threads.execute(work);
      }
    };
  }
}
