package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.MountPath;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The block devices that are held open while workloads have them, by the paths of their nodes. No
 * caller waits for one that is opened or closed. Safe for many threads.
 */
public final class HeldDevices {

  /** Opens the block device at a path. */
  public interface Opener {

    /**
     * Opens it; may take for ever.
     *
     * @throws IOException if there is no block device, or it does not open
     */
    Closeable open(MountPath path) throws IOException;

    /** Opens it for reading, and follows no link. */
    static Closeable ofKernel(MountPath path) throws IOException {
      return FileChannel.open(path.toPath(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }
  }

  private final Opener opener;
  private final Executor threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<MountPath, CompletableFuture<Closeable>> held = new HashMap<>();

  /**
   * None is held.
   *
   * @param threads where devices are opened and closed; they may be kept for ever
   */
  public HeldDevices(Opener opener, Executor threads) {
    this.opener = opener;
    this.threads = threads;
  }

  /** Holds the device at a path, unless one is held there. */
  void hold(MountPath path, Consumer<String> failed) {
    CompletableFuture<Closeable> opening = new CompletableFuture<>();
    lock.lock();
    try {
      if (held.putIfAbsent(path, opening) != null) {
        return;
      }
    } finally {
      lock.unlock();
    }
    try {
      threads.execute(() -> open(path, opening, failed));
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      // The manager closes, or the machine gives no thread.
      failed(path, opening, refused, failed);
    }
  }

  private void open(MountPath path, CompletableFuture<Closeable> opening, Consumer<String> failed) {
    try {
      opening.complete(opener.open(path));
    } catch (IOException | RuntimeException e) {
      failed(path, opening, e, failed);
    }
  }

  private void failed(
      MountPath path,
      CompletableFuture<Closeable> opening,
      Throwable why,
      Consumer<String> failed) {
    boolean isWanted;
    lock.lock();
    try {
      isWanted = held.remove(path, opening);
    } finally {
      lock.unlock();
    }
    opening.complete(() -> {});
    if (isWanted) {
      failed.accept("it could not be opened: " + why.getMessage());
    }
  }

  /** Closes the device that is held at a path, once it is open; tells whether there is one. */
  boolean letGo(MountPath path, Runnable closed) {
    CompletableFuture<Closeable> opening;
    lock.lock();
    try {
      opening = held.remove(path);
    } finally {
      lock.unlock();
    }
    if (opening == null) {
      return false;
    }
    opening.thenAccept(device -> close(device, closed));
    return true;
  }

  /** Closes a device: the last to close it waits until the kernel has written what is left. */
  private void close(Closeable device, Runnable closed) {
    try {
      threads.execute(
          () -> {
            closeQuietly(device);
            closed.run();
          });
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      closeQuietly(device);
      closed.run();
    }
  }

  private static void closeQuietly(Closeable device) {
    try {
      device.close();
    } catch (IOException e) {
      // It is closed all the same; what the workload wrote is told to the workload.
    }
  }

  /** Closes all. */
  void close() {
    Map<MountPath, CompletableFuture<Closeable>> all;
    lock.lock();
    try {
      all = Map.copyOf(held);
    } finally {
      lock.unlock();
    }
    all.keySet().forEach(path -> letGo(path, () -> {}));
  }
}
