package io.csi4j.volume.internal.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that is open for writing. It is open twice: only a channel knows {@code fdatasync}, which
 * does not wait for the time of the change where the file keeps its size; and only the other one
 * outlives an interrupt.
 */
final class OpenFile implements DiskFile {

  private final Path path;
  private final RandomAccessFile file;
  private final FileChannel channel;

  private OpenFile(Path path, RandomAccessFile file, FileChannel channel) {
    this.path = path;
    this.file = file;
    this.channel = channel;
  }

  /** Opens a file that is there. */
  static OpenFile of(Path path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      return new OpenFile(path, file, FileChannel.open(path, StandardOpenOption.WRITE));
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public void write(long position, byte[] bytes) throws DiskException {
    RealDisk.attempt(
        path,
        () -> {
          file.seek(position);
          file.write(bytes);
          return bytes;
        });
  }

  @Override
  public void sync() throws DiskException {
    RealDisk.attempt(
        path,
        () -> {
          if (!isSynced()) {
            // The kernel tells each descriptor of its own what failed, so this one has missed none.
            file.getFD().sync();
          }
          return path;
        });
  }

  private boolean isSynced() throws IOException {
    if (!channel.isOpen() || Thread.currentThread().isInterrupted()) {
      return false;
    }
    try {
      channel.force(false);
      return true;
    } catch (ClosedByInterruptException e) {
      // The interrupt stays set.
      return false;
    } catch (ClosedChannelException e) {
      return false;
    }
  }

  @Override
  public void close() {
    try (file;
        channel) {
      // Both are closed, even if one of them fails.
    } catch (IOException e) {
      // What was not synced was never certain.
    }
  }
}
