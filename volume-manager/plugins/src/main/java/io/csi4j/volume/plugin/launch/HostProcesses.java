package io.csi4j.volume.plugin.launch;

import io.csi4j.volume.internal.text.ForeignText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Starts processes on this host. For each process, a thread reads the output until the process
 * ends.
 *
 * <p>The thread never blocks on the pipe. A child of the process may hold the pipe open forever,
 * and closing the pipe would not wake a blocked thread.
 */
final class HostProcesses implements HostProcessTable {

  private static final int PIPE = 64 * 1024;

  /** Maximum time between two reads, in milliseconds. */
  private static final long LONGEST_PAUSE = 50;

  /**
   * Time in milliseconds to wait for the rest of the output. The JDK buffers the rest shortly after
   * the end of the process, but does not report when.
   */
  private static final long QUIET = 50;

  private static final long LONGEST_REST = 2000;

  private final ThreadFactory threads;
  private final int longestLine;

  /**
   * Creates a starter of processes.
   *
   * @param threads creates the thread of each process
   * @param longestLine the maximum number of bytes of a line that are kept
   */
  public HostProcesses(ThreadFactory threads, int longestLine) {
    this.threads = threads;
    this.longestLine = longestLine;
  }

  @Override
  public Running start(Order order, Consumer<String> line, IntConsumer ended) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(order.command()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(order.environment());
    order.directory().ifPresent(directory -> builder.directory(directory.toFile()));
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      OutputLines lines = new OutputLines(longestLine, line);
      threads.newThread(() -> follow(process, lines, ended)).start();
    } catch (IOException | RuntimeException | Error refused) {
      // Without the thread, the end of the process would not be noticed.
      process.destroyForcibly();
      if (refused instanceof OutOfMemoryError) {
        throw new IOException("no thread could be started to read its output", refused);
      }
      throw refused;
    }
    return new Child(process.toHandle());
  }

  private static void follow(Process process, OutputLines lines, IntConsumer ended) {
    try {
      readToTheEnd(process, lines);
    } finally {
      // If the output cannot be read, the process must still run without delay, and its end must
      // still be reported.
      while (!hasEnded(process, LONGEST_PAUSE)) {
        drop(process.getInputStream());
      }
      ended.accept(process.exitValue());
    }
  }

  private static void drop(InputStream output) {
    try {
      output.skipNBytes(output.available());
    } catch (IOException e) {
      // The JDK is buffering the rest of the output at this moment.
    }
  }

  private static void readToTheEnd(Process process, OutputLines lines) {
    byte[] some = new byte[PIPE];
    InputStream output = process.getInputStream();
    long pause = 1;
    while (!hasEnded(process, pause)) {
      boolean isQuiet = read(output, some, lines) == 0;
      pause = isQuiet ? Math.min(2 * pause + 1, LONGEST_PAUSE) : 0;
    }
    rest(output, some, lines);
    lines.finish();
  }

  /** Reads the rest of the output. Child processes that still write are ignored. */
  private static void rest(InputStream output, byte[] some, OutputLines lines) {
    for (long silent = 0, all = 0; silent < QUIET && all < LONGEST_REST; all++) {
      if (read(output, some, lines) > 0) {
        silent = 0;
      } else {
        silent++;
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
    try {
      output.close();
    } catch (IOException e) {
      // The output is no longer needed, so a failure does not matter.
    }
  }

  private static boolean hasEnded(Process process, long pause) {
    try {
      return process.waitFor(pause, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // No code interrupts this thread on purpose.
      return !process.isAlive();
    }
  }

  /** Reads the available bytes; returns their number. */
  private static int read(InputStream output, byte[] some, OutputLines lines) {
    try {
      int there = Math.min(output.available(), some.length);
      int read = there > 0 ? output.read(some, 0, there) : 0;
      lines.add(some, read);
      return Math.max(read, 0);
    } catch (IOException e) {
      // The JDK is buffering the rest of the output at this moment.
      return 0;
    }
  }

  /**
   * A process of this host.
   *
   * @param handle the handle of the process; {@link Process#destroy} would also close the output,
   *     and lose its last lines
   */
  private record Child(ProcessHandle handle) implements Running {

    @Override
    public long pid() {
      return handle.pid();
    }

    @Override
    public void terminate() {
      signal(handle::destroy);
    }

    @Override
    public void kill() {
      signal(handle::destroyForcibly);
    }

    /**
     * Sends a signal. Ignores the result false, which means that the process has ended meanwhile.
     */
    private static void signal(BooleanSupplier sent) {
      var unused = sent.getAsBoolean();
    }
  }

  /**
   * Splits bytes into printable lines, which are escaped and cut at a limit. Used for one process,
   * by one thread.
   */
  static final class OutputLines {

    private final Consumer<String> line;
    private final byte[] begun;
    private int kept;
    private long length;

    /**
     * Creates an object without bytes.
     *
     * @param limit the maximum number of bytes of a line that are kept
     * @param line receives each line
     */
    OutputLines(int limit, Consumer<String> line) {
      this.line = line;
      begun = new byte[limit];
    }

    void add(byte[] bytes, int count) {
      for (int i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
          end();
        } else {
          if (kept < begun.length) {
            begun[kept++] = bytes[i];
          }
          length++;
        }
      }
    }

    /** Ends the input. An unfinished line counts as a line. */
    void finish() {
      if (length > 0) {
        end();
      }
    }

    private void end() {
      int end = kept > 0 && length == kept && begun[kept - 1] == '\r' ? kept - 1 : kept;
      String text = ForeignText.of(new String(begun, 0, end, StandardCharsets.UTF_8), begun.length);
      String cut = length > kept ? "… (" + length + " bytes in all)" : "";
      kept = 0;
      length = 0;
      line.accept(text + cut);
    }
  }
}
