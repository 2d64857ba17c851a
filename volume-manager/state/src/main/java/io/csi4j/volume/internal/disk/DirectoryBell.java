package io.csi4j.volume.internal.disk;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs a callback when names are added to or removed from a directory. The callback may run too
 * often, and may miss changes while the directory itself is created or removed: the callback must
 * check the directory itself, and the caller must also check it from time to time.
 */
public final class DirectoryBell implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final Duration TO_DIRECTORY = Duration.ofSeconds(1);
  private static final long CLOSING_MILLIS = 2_000;

  private final Path directory;
  private final Runnable ring;
  private final WatchService service;
  private final Duration toDirectory;
  private final Thread thread;

  private DirectoryBell(
      Path directory, String name, Runnable ring, WatchService service, Duration toDirectory) {
    this.directory = directory;
    this.ring = ring;
    this.service = service;
    this.toDirectory = toDirectory;
    thread = new Thread(this::listen, name);
    thread.setDaemon(true);
  }

  /**
   * Starts watching a directory, which need not exist yet.
   *
   * @param name the name of the watching thread
   * @param ring the callback; must not block or throw
   * @return closes the watch; has no effect if the machine has no more watches
   */
  public static AutoCloseable on(Path directory, String name, Runnable ring) {
    return on(directory, name, ring, TO_DIRECTORY);
  }

  /** Starts watching with this interval for checks of a missing directory. */
  static AutoCloseable on(Path directory, String name, Runnable ring, Duration toDirectory) {
    try {
      DirectoryBell bell =
          new DirectoryBell(
              directory, name, ring, directory.getFileSystem().newWatchService(), toDirectory);
      bell.thread.start();
      return bell;
    } catch (IOException | UnsupportedOperationException | OutOfMemoryError e) {
      LOGGER.log(
          Level.INFO,
          "The directory {0} is only polled, because the kernel does not report its changes: {1}",
          directory,
          e);
      return () -> {};
    }
  }

  private void listen() {
    WatchKey key = null;
    try {
      while (true) {
        if (key == null || !key.isValid()) {
          key = register();
        }
        WatchKey rung = service.poll(toDirectory.toNanos(), TimeUnit.NANOSECONDS);
        if (rung != null) {
          var unused = rung.pollEvents();
          boolean valid = rung.reset();
          ring.run();
          key = valid ? rung : null;
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      // This is how the thread ends.
    }
  }

  private @Nullable WatchKey register() {
    try {
      WatchKey key =
          directory.register(
              service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
      ring.run();
      return key;
    } catch (IOException missing) {
      return null;
    }
  }

  @Override
  public void close() {
    try {
      service.close();
      thread.join(CLOSING_MILLIS);
    } catch (IOException e) {
      thread.interrupt();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
