package io.csi4j.testkit.internal.hostpath;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The lock on a plugin's directory, held by one plugin at a time. The end of the process releases
 * it at the latest.
 */
final class DataLock implements AutoCloseable {

  private final Path holder;
  private final FileChannel channel;
  private final AtomicBoolean closed = new AtomicBoolean();

  private DataLock(Path holder, FileChannel channel) {
    this.holder = holder;
    this.channel = channel;
  }

  /** Acquires the lock; the failure names the holder. */
  static DataLock take(Layout layout) throws IOException {
    // Opening and closing the locked file again would release the lock of the whole process, so
    // another file identifies a plugin in the same process.
    if (me().equals(read(layout.holder()))) {
      throw taken(layout, "another plugin in this process uses it. Close that one");
    }
    FileChannel channel =
        FileChannel.open(layout.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean taken = false;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw taken(
            layout,
            "a plugin in another process uses it, %s. Stop that one, or use another directory"
                .formatted(read(layout.holder())));
      }
      Files.writeString(layout.holder(), me());
      taken = true;
      return new DataLock(layout.holder(), channel);
    } catch (OverlappingFileLockException e) {
      throw taken(layout, "another plugin in this process uses it. Close that one");
    } finally {
      if (!taken) {
        channel.close();
      }
    }
  }

  private static IOException taken(Layout layout, String why) {
    return new IOException("The directory " + layout.data() + " cannot be used: " + why + ".");
  }

  /** Identifies this process, and no later process with the same number. */
  private static String me() {
    ProcessHandle me = ProcessHandle.current();
    return "process "
        + me.pid()
        + me.info().startInstant().map(start -> " (started " + start + ")").orElse("");
  }

  private static String read(Path holder) throws IOException {
    @Nullable String text =
        Files.exists(holder) ? Files.readString(holder, StandardCharsets.UTF_8) : null;
    return text == null || !text.matches("process [0-9]+( \\(started [-0-9A-Z:.]+\\))?")
        ? "about which nothing more is known"
        : text;
  }

  /** Releases the lock; closing again has no effect, because another plugin may hold it by then. */
  @Override
  public void close() throws IOException {
    if (!closed.getAndSet(true)) {
      Files.deleteIfExists(holder);
      channel.close();
    }
  }
}
