package io.csi4j.volume.internal.events;

import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeListener;
import java.lang.System.Logger;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The way to one listener: a queue and the one thread that tells it. */
final class ListenerQueue {

  private static final Logger LOG = System.getLogger(ListenerQueue.class.getName());

  private final VolumeListener listener;
  private final Consumer<Throwable> firstFailure;
  private final Thread thread;

  /** Guards the queue and the phase; never held while the listener is told. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final EventQueue queue;
  private Phase phase = Phase.OPEN;

  /** Only the thread uses it. */
  private boolean failed;

  private enum Phase {
    OPEN,
    DRAINING,
    STOPPED
  }

  ListenerQueue(
      String name, VolumeListener listener, EventQueue queue, Consumer<Throwable> firstFailure) {
    this.listener = listener;
    this.queue = queue;
    this.firstFailure = firstFailure;
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  void add(VolumeEvent event) {
    lock.lock();
    try {
      if (phase == Phase.OPEN) {
        queue.add(event);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets what waits be told, and takes no more. */
  void stopTaking() {
    lock.lock();
    try {
      if (phase == Phase.OPEN) {
        phase = Phase.DRAINING;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all is told, at most until then, and ends. */
  void stop(long deadline) {
    boolean interrupted = await(deadline);
    lock.lock();
    try {
      phase = Phase.STOPPED;
      changed.signal();
      if (!queue.isEmpty()) {
        LOG.log(
            Logger.Level.WARNING,
            "A listener was not told {0} events, as it did not take them before the manager was"
                + " closed. Make it faster, or let closing take longer.",
            queue.size());
      }
    } finally {
      lock.unlock();
    }
    if (!isCurrentThread()) {
      thread.interrupt();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean await(long deadline) {
    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (left <= 0) {
      return false;
    }
    try {
      thread.join(left);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private void run() {
    for (Optional<VolumeEvent> event = take(); event.isPresent(); event = take()) {
      tell(event.get());
    }
  }

  /** The next event; nothing when there will be no more. */
  private Optional<VolumeEvent> take() {
    lock.lock();
    try {
      while (phase == Phase.OPEN && queue.isEmpty()) {
        changed.awaitUninterruptibly();
      }
      return phase == Phase.STOPPED ? Optional.empty() : queue.next();
    } finally {
      lock.unlock();
    }
  }

  private void tell(VolumeEvent event) {
    try {
      listener.on(event);
    } catch (Throwable failure) {
      LOG.log(
          failed ? Logger.Level.DEBUG : Logger.Level.WARNING,
          "A listener of volume events failed. It is told of further events, and its further"
              + " failures are logged for debugging only. Repair it.",
          failure);
      if (!failed) {
        failed = true;
        firstFailure.accept(failure);
      }
    }
  }
}
