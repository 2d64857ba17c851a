package io.csi4j.mount.internal.watch;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.internal.table.StatmountReader;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A running watch: one thread that waits for the kernel, determines the changes and reports them.
 *
 * <p>Only a reading of the whole table shows that a mount has other flags and, if the kernel does
 * not report each mount, which mounts are new or gone. So a reading follows each change, but with a
 * pause of {@value #PAUSE_FACTOR} times the duration of the last one: regardless of the number of
 * mounts and changes, readings take at most a fifth of one processor. The next reading contains the
 * changes during the pause.
 */
public class RunningWatch implements AutoCloseable {

  static final int PAUSE_FACTOR = 4;

  private static final long PAUSE_AFTER_FAILURE = 1_000_000_000L;
  private static final System.Logger LOGGER = System.getLogger("io.csi4j.mount");

  private final Kernel kernel;
  private final KernelTable table;
  private final StatmountReader mounts;
  private final Consumer<MountEvent> listener;
  private final Thread thread;
  private final CompletableFuture<Beginning> beginning = new CompletableFuture<>();
  private volatile boolean closed;

  // Used by the watch's thread only.
  private final KnownMounts known = new KnownMounts();
  private boolean eventsLost;
  private boolean readingDue;
  private long notBefore = System.nanoTime();

  /** The first notices and mounts, which the thread passes on when it has started. */
  private record Beginning(Notices notices, MountSnapshot mounts) {}

  protected RunningWatch(Kernel kernel, KernelTable table, Consumer<MountEvent> listener) {
    this.kernel = kernel;
    this.table = table;
    this.mounts = new StatmountReader(kernel);
    this.listener = listener;
    this.thread = new Thread(this::run);
    thread.setName("csi4j-mount-watch-" + thread.getId());
    thread.setDaemon(true);
  }

  /** Starts the watch, in the mount namespace of the calling thread. */
  public void begin() {
    thread.start();
    try {
      beginning.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** Returns the mounts when the watch began; every event is a change to them. */
  public MountSnapshot start() {
    return beginning.join().mounts;
  }

  /** Returns how the kernel reports changes, in a few words for people. */
  public String source() {
    return beginning.join().notices.description();
  }

  @Override
  public void close() {
    closed = true;
    if (Thread.currentThread() == thread) {
      return;
    }
    LockSupport.unpark(thread);
    beginning.join().notices.wake();
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "watch of the mounts by " + source();
  }

  private void run() {
    try (Notices notices = Notices.open(kernel)) {
      // Listed after the reports were requested, so that no change is missed in between.
      MountSnapshot mounts = table.list();
      known.begin(mounts.records());
      beginning.complete(new Beginning(notices, mounts));
      watch(notices);
    } catch (RuntimeException | Error e) {
      if (!beginning.completeExceptionally(e)) {
        LOGGER.log(Level.ERROR, "The watch of the mounts ended. Start another one.", e);
      }
    }
  }

  private void watch(Notices notices) {
    while (!closed) {
      try {
        waitAndTell(notices);
      } catch (MountException | OutOfMemoryError e) {
        pauseAfter(e);
      }
    }
  }

  private void waitAndTell(Notices notices) {
    Notices.Woken woken = notices.await(readingDue ? millisUntilReading() : -1);
    readingDue |= woken.table();
    if (woken.events()) {
      tellEvents(notices);
    }
    if (readingDue && millisUntilReading() == 0 && !closed) {
      read(notices);
    }
  }

  /** Pauses after a failure, such as a lack of memory, in which events may have been lost. */
  private void pauseAfter(Throwable failure) {
    eventsLost = true;
    readingDue = true;
    try {
      LOGGER.log(
          Level.WARNING,
          "The mounts could not be watched for a moment; a resync follows.",
          failure);
    } catch (OutOfMemoryError again) {
      // The resync follows nevertheless.
    }
    LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
  }

  private void tellEvents(Notices notices) {
    try {
      for (FanotifyEvent event : notices.read()) {
        eventsLost |= event.isLoss();
        if (!eventsLost && event.mount().isPresent()) {
          event(event, event.mount().getAsLong()).ifPresent(this::tell);
        }
      }
    } catch (MountException e) {
      LOGGER.log(Level.WARNING, "Events of mounts could not be read; a resync follows.", e);
      eventsLost = true;
    }
    readingDue |= eventsLost;
  }

  /** Returns the event to report; empty for a mount that appeared and is gone already. */
  private Optional<MountEvent> event(FanotifyEvent event, long mount) {
    if (event.came()) {
      return mounts.record(mount).flatMap(record -> known.present(record, event.actor()));
    }
    return event.left()
        ? known.gone(new MountRef.Identity.Unique(mount), event.actor())
        : Optional.empty();
  }

  private void read(Notices notices) {
    long begin = System.nanoTime();
    try {
      MountSnapshot now = table.list();
      readingDue = false;
      long end = System.nanoTime();
      notBefore = end + PAUSE_FACTOR * (end - begin);
      if (eventsLost) {
        eventsLost = false;
        known.begin(now.records());
        tell(new MountEvent.Resync(now));
      } else if (notices.tellEach()) {
        known.changes(now.records()).forEach(this::tell);
      } else {
        known.differences(now.records()).forEach(this::tell);
      }
    } catch (MountException e) {
      LOGGER.log(Level.WARNING, "The table of mounts could not be read; trying again.", e);
      notBefore = System.nanoTime() + PAUSE_AFTER_FAILURE;
    }
  }

  private int millisUntilReading() {
    long nanos = notBefore - System.nanoTime();
    return nanos <= 0 ? 0 : (int) (nanos / 1_000_000) + 1;
  }

  private void tell(MountEvent event) {
    if (closed) {
      return;
    }
    try {
      listener.accept(event);
    } catch (RuntimeException | Error e) {
      LOGGER.log(
          Level.WARNING, "A listener of mounts failed; it still receives the next event.", e);
    }
  }

  /**
   * The mounts that the listener knows, and the events that it must receive to know the others.
   *
   * <p>The input need not be new: a known mount is not reported again, and neither is the end of an
   * unknown one.
   */
  private static final class KnownMounts {

    private final Map<MountRef.Identity, MountRecord> known = new LinkedHashMap<>();

    /** Replaces all known mounts, which the listener receives as a whole. */
    void begin(List<MountRecord> mounts) {
      known.clear();
      mounts.forEach(mount -> known.put(mount.ref().identity(), mount));
    }

    /** Handles an existing mount. The record of an unchanged mount is kept, and not held twice. */
    Optional<MountEvent> present(MountRecord now, OptionalLong actor) {
      MountRecord before = known.get(now.ref().identity());
      if (now.equals(before)) {
        return Optional.empty();
      }
      known.put(now.ref().identity(), now);
      if (before == null) {
        return Optional.of(new MountEvent.Attached(now, actor));
      }
      return isChanged(before, now)
          ? Optional.of(new MountEvent.Changed(before, now))
          : Optional.empty();
    }

    /** Handles a mount that is gone. */
    Optional<MountEvent> gone(MountRef.Identity identity, OptionalLong actor) {
      MountRecord last = known.remove(identity);
      return last == null ? Optional.empty() : Optional.of(new MountEvent.Detached(last, actor));
    }

    /** Handles these existing mounts; other mounts may exist. */
    List<MountEvent> changes(List<MountRecord> mounts) {
      List<MountEvent> events = new ArrayList<>();
      for (MountRecord now : mounts) {
        if (known.containsKey(now.ref().identity())) {
          present(now, OptionalLong.empty()).ifPresent(events::add);
        }
      }
      return events;
    }

    /**
     * Handles these existing mounts as the complete list; returns the removed ones, in reverse,
     * then the new ones.
     */
    List<MountEvent> differences(List<MountRecord> mounts) {
      Map<MountRef.Identity, MountRecord> left = new LinkedHashMap<>(known);
      mounts.forEach(mount -> left.remove(mount.ref().identity()));
      List<MountRef.Identity> identities = new ArrayList<>(left.keySet());
      List<MountEvent> events = new ArrayList<>();
      for (int i = identities.size() - 1; i >= 0; i--) {
        gone(identities.get(i), OptionalLong.empty()).ifPresent(events::add);
      }
      for (MountRecord now : mounts) {
        present(now, OptionalLong.empty()).ifPresent(events::add);
      }
      return events;
    }

    private static boolean isChanged(MountRecord before, MountRecord now) {
      return !before.path().equals(now.path())
          || !before.flags().equals(now.flags())
          || !before.propagation().equals(now.propagation());
    }
  }
}
