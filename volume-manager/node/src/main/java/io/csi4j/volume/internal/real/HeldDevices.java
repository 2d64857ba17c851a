package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.MountPath;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds block devices open while workloads use them. A device is identified by the path of its
 * node. No caller waits for a device to open or close. Safe for use by many threads.
 *
 * <p>While a device is open, the kernel does not assign its number to another device. The device is
 * opened through its node in {@code /dev}, if it has such a node, because an open node inside the
 * volume would keep the volume's mount busy.
 */
public final class HeldDevices {

  /** Opens block devices. */
  public interface Opener {

    /**
     * Opens a device. May block forever.
     *
     * @param node the path of a node of the device
     * @param number the number of the device, such as {@code 8:1}
     * @throws IOException if the device no longer exists or cannot be opened
     */
    Closeable open(MountPath node, String number) throws IOException;
  }

  private final Opener opener;
  private final Executor threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<MountPath, Held> held = new HashMap<>();

  /** For each path, the future that completes when all devices that were held for it are closed. */
  private final Map<MountPath, CompletableFuture<?>> closing = new HashMap<>();

  private boolean closed;

  /**
   * A device that is open or is being opened.
   *
   * @param number the number of the device
   * @param device the opened device, which must be closed; empty if it could not be opened
   */
  private record Held(String number, CompletableFuture<Optional<Closeable>> device) {}

  /**
   * Creates the object without held devices.
   *
   * @param threads the threads that open and close devices, which may block them forever
   */
  public HeldDevices(Opener opener, Executor threads) {
    this.opener = opener;
    this.threads = threads;
  }

  /**
   * Holds the device with this number open for a path. If another device is held for the path, that
   * device is closed.
   *
   * @param then receives empty once the device is open, or the reason why it could not be opened;
   *     called on any thread
   * @return false if the device is held already, or if this object was closed
   */
  boolean hold(MountPath path, String number, Consumer<Optional<String>> then) {
    Held next = new Held(number, new CompletableFuture<>());
    Held before;
    lock.lock();
    try {
      before = held.get(path);
      if (closed || (before != null && before.number().equals(number))) {
        return false;
      }
      held.put(path, next);
    } finally {
      lock.unlock();
    }
    if (before != null) {
      var unused = close(path, before);
    }
    try {
      threads.execute(() -> open(path, next, then));
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      // The manager is closed, or the machine provides no thread for this work.
      failed(path, next, then, refused.getMessage());
    }
    return true;
  }

  private void open(MountPath path, Held next, Consumer<Optional<String>> then) {
    Optional<Closeable> device = Optional.empty();
    try {
      if (isHeld(path, next)) {
        device = Optional.of(opener.open(path, next.number()));
      }
    } catch (IOException e) {
      failed(path, next, then, e.getMessage());
      return;
    } catch (RuntimeException | Error e) {
      failed(path, next, then, e.toString());
      return;
    }
    next.device().complete(device);
    tell(then, Optional.empty());
  }

  private void failed(
      MountPath path, Held next, Consumer<Optional<String>> then, @Nullable String why) {
    forget(held, path, next);
    next.device().complete(Optional.empty());
    tell(then, Optional.of("device " + next.number() + " could not be opened: " + why));
  }

  private static void tell(Consumer<Optional<String>> then, Optional<String> problem) {
    try {
      then.accept(problem);
    } catch (RejectedExecutionException closed) {
      // The manager is closed, so the result is no longer needed.
    }
  }

  /** Returns whether a device is held or being opened for this path. */
  boolean isHeld(MountPath path) {
    lock.lock();
    try {
      return held.containsKey(path);
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("ReferenceEquality") // an equal device may have been requested again
  private boolean isHeld(MountPath path, Held one) {
    lock.lock();
    try {
      return held.get(path) == one;
    } finally {
      lock.unlock();
    }
  }

  private <T> void forget(Map<MountPath, T> from, MountPath path, T one) {
    lock.lock();
    try {
      from.remove(path, one);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the device that is held for a path. A device that is being opened is closed once it is
   * open.
   *
   * @param then runs once all devices that were held for the path are closed
   * @return false if no device is held or being closed for the path, so {@code then} does not run
   */
  boolean letGo(MountPath path, Runnable then) {
    Held one;
    CompletableFuture<?> end;
    lock.lock();
    try {
      one = held.remove(path);
      end = closing.get(path);
    } finally {
      lock.unlock();
    }
    if (one != null) {
      end = close(path, one);
    }
    if (end == null) {
      return false;
    }
    var unused = end.thenRun(then);
    return true;
  }

  /**
   * Closes a device. This may take long: closing the last open handle of a device waits until the
   * kernel has written all data.
   *
   * @return a future that completes when this device and all earlier devices of its path are closed
   */
  private CompletableFuture<?> close(MountPath path, Held one) {
    CompletableFuture<Void> closed =
        one.device()
            .thenCompose(
                device -> {
                  CompletableFuture<Void> end = new CompletableFuture<>();
                  Runnable work =
                      () -> {
                        device.ifPresent(HeldDevices::close);
                        end.complete(null);
                      };
                  try {
                    threads.execute(work);
                  } catch (RejectedExecutionException | OutOfMemoryError refused) {
                    work.run();
                  }
                  return end;
                });
    CompletableFuture<?> all;
    lock.lock();
    try {
      all = closing.merge(path, closed, (before, last) -> CompletableFuture.allOf(before, last));
    } finally {
      lock.unlock();
    }
    var unused = all.thenRun(() -> forget(closing, path, all));
    return all;
  }

  private static void close(Closeable device) {
    try {
      device.close();
    } catch (IOException e) {
      // The device is closed even so, and the kernel reports a failed write to the workload.
    }
  }

  /** Closes all devices, and refuses to hold further devices. */
  void close() {
    Map<MountPath, Held> all;
    lock.lock();
    try {
      closed = true;
      all = Map.copyOf(held);
      held.clear();
    } finally {
      lock.unlock();
    }
    all.forEach(
        (path, one) -> {
          var unused = close(path, one);
        });
  }
}
