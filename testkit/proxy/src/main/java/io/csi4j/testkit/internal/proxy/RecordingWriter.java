package io.csi4j.testkit.internal.proxy;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.journal.RecordedCall;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Writes calls to a file, one per line, on a dedicated thread, so that no call waits for the disk.
 * Lines are in the order in which calls ended, and are flushed when no further line is waiting.
 */
public final class RecordingWriter implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(RecordingWriter.class.getName());

  private final Path file;
  private final FileChannel channel;
  private final BufferedWriter out;
  private final boolean secrets;
  private final BlockingQueue<Optional<RecordedCall>> waiting = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean failed;
  private volatile boolean begun;

  private RecordingWriter(Path file, FileChannel channel, boolean secrets) {
    this.file = file;
    this.channel = channel;
    this.out = new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8));
    this.secrets = secrets;
    this.thread = new Thread(this::run, "csi4j-testkit-recording");
    thread.setDaemon(true);
  }

  /**
   * Opens a writer, which truncates the file at {@link #begin}; until then the file stays as it is.
   *
   * @param secrets whether secrets, mount flags and contexts are recorded as well
   * @throws IOException if the file cannot be opened; the message says why
   */
  public static RecordingWriter open(Path file, boolean secrets) throws IOException {
    try {
      if (secrets) {
        restrict(file);
      }
      return new RecordingWriter(
          file,
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE),
          secrets);
    } catch (IOException e) {
      throw cannot("Recording to", file, e);
    }
  }

  /** Returns the exception for a failed write, with an action such as {@code Recording to}. */
  public static IOException cannot(String doing, Path file, IOException why) {
    return new IOException(
        "%s %s failed: %s. Name a file in a directory that exists and may be written to."
            .formatted(doing, SafeText.quote(file.toString()), SafeText.escape(why.toString())),
        why);
  }

  /** Truncates the file, and writes the waiting and all further calls. */
  public void begin() throws IOException {
    try {
      if (Files.isRegularFile(file)) {
        channel.truncate(0);
      }
    } catch (IOException e) {
      throw cannot("Recording to", file, e);
    }
    begun = true;
    thread.start();
  }

  /** Restricts the file to its owner, whether it exists or is about to be created. */
  private static void restrict(Path file) throws IOException {
    Set<PosixFilePermission> owner = PosixFilePermissions.fromString("rw-------");
    try {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(owner));
    } catch (FileAlreadyExistsException there) {
      Files.setPosixFilePermissions(file, owner);
    }
  }

  /** Writes this call soon; does nothing after a write has failed. */
  public void write(RecordedCall call) {
    if (!failed) {
      waiting.add(Optional.of(call));
    }
  }

  public boolean failed() {
    return failed;
  }

  @SuppressWarnings("CatchThrowable") // After any failure, the rest of the calls is not written.
  private void run() {
    try (out) {
      while (true) {
        Optional<RecordedCall> next = waiting.take();
        if (next.isEmpty()) {
          return;
        }
        out.write(RecordedLine.of(next.get(), secrets));
        out.newLine();
        if (waiting.isEmpty()) {
          out.flush();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      failed = true;
      waiting.clear();
      LOG.log(
          System.Logger.Level.WARNING,
          "Recording to {0} failed, so further calls are missing: {1}. Free disk space, then"
              + " record again.",
          SafeText.quote(file.toString()),
          SafeText.escape(e.toString()));
    }
  }

  /** Writes the waiting calls, and closes the file. */
  @Override
  public void close() {
    waiting.add(Optional.empty());
    try {
      if (!begun) {
        channel.close();
      }
      thread.join();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "A recording that was not begun could not be closed.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
