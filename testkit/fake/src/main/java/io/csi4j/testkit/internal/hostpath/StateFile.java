package io.csi4j.testkit.internal.hostpath;

import io.csi4j.testkit.internal.backend.State;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The file in which a plugin keeps what it knows. It is replaced as a whole, so that a crash leaves
 * the old one or the new one; a file that cannot be read is never replaced.
 */
final class StateFile {

  private final Layout layout;
  private final ReentrantLock lock = new ReentrantLock();

  StateFile(Layout layout) {
    this.layout = layout;
  }

  /** Loads what was saved last. In a directory without any volume, a first, empty state is made. */
  State load() throws IOException {
    lock.lock();
    try {
      if (!Files.exists(layout.state(), LinkOption.NOFOLLOW_LINKS)) {
        return first();
      }
      return StateCodec.decode(Files.readAllBytes(layout.state()));
    } catch (StateCodec.UnreadableException e) {
      throw new IOException(
          "The state in "
              + layout.state()
              + " cannot be read: "
              + e.getMessage()
              + ". It was left as it is. Use the plugin that wrote it, put a copy of it back, or"
              + " start with another directory.");
    } finally {
      lock.unlock();
    }
  }

  private State first() throws IOException {
    if (!Layout.names(layout.volumes()).isEmpty() || !Layout.names(layout.snapshots()).isEmpty()) {
      throw new IOException(
          "The state in "
              + layout.state()
              + " cannot be read: it is missing, and there are volumes or snapshots beside it. Put"
              + " a copy of it back, or start with another directory.");
    }
    State empty = State.empty();
    save(empty);
    return empty;
  }

  /** Replaces the file. When this returns, the new one outlives a loss of power. */
  void save(State state) throws IOException {
    byte[] bytes = StateCodec.encode(state);
    lock.lock();
    try {
      Path next = layout.data().resolve("state.next");
      try (FileChannel out =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          out.write(left);
        }
        out.force(true);
      }
      Files.move(
          next,
          layout.state(),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      sync(layout.data());
    } finally {
      lock.unlock();
    }
  }

  /** Makes the names in a directory outlive a loss of power. */
  static void sync(Path directory) throws IOException {
    try (FileChannel open = FileChannel.open(directory, StandardOpenOption.READ)) {
      open.force(true);
    }
  }
}
