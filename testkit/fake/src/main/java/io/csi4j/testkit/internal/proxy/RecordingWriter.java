package io.csi4j.testkit.internal.proxy;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.journal.RecordedCall;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Writes calls to a file, one a line, on a thread of its own, so that no call waits for the disk.
 * Lines are in the order in which calls ended, and reach the file when no other is waiting.
 */
public final class RecordingWriter implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(RecordingWriter.class.getName());

  private final Path file;
  private final BufferedWriter out;
  private final boolean secrets;
  private final BlockingQueue<Optional<RecordedCall>> waiting = new LinkedBlockingQueue<>();
  private final Thread thread;

  private RecordingWriter(Path file, BufferedWriter out, boolean secrets) {
    this.file = file;
    this.out = out;
    this.secrets = secrets;
    this.thread = new Thread(this::run, "csi4j-testkit-recording");
    thread.setDaemon(true);
  }

  /**
   * A writer that begins the file again.
   *
   * @param secrets whether secrets, mount flags and contexts are written as well
   * @throws IOException if it cannot, saying why
   */
  public static RecordingWriter open(Path file, boolean secrets) throws IOException {
    try {
      BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
      RecordingWriter writer = new RecordingWriter(file, out, secrets);
      writer.thread.start();
      return writer;
    } catch (IOException e) {
      throw new IOException(
          "Recording to "
              + SafeText.quote(file.toString())
              + " failed: "
              + SafeText.escape(e.toString())
              + ". Name a file in a directory that exists and may be written to.",
          e);
    }
  }

  /** Writes this call soon. */
  public void write(RecordedCall call) {
    waiting.add(Optional.of(call));
  }

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
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "Recording to {0} failed, and the calls from now on are not in it: {1}. Make room on its"
              + " disk, and record again.",
          SafeText.quote(file.toString()),
          SafeText.escape(e.toString()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes what waits, and closes the file. */
  @Override
  public void close() {
    waiting.add(Optional.empty());
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
