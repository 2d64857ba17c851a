package io.csi4j.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server that ends with this program, even if this program is killed. A shell next to the server
 * reads a pipe from this program, and sends the server a signal when the pipe is closed.
 */
final class GuardedProcess implements AutoCloseable {

  private static final String GUARD =
      "exec 3<&0; signal=$1; shift; (read -r _ <&3; kill -s \"$signal\" $$) &"
          + " exec \"$@\" </dev/null 3<&-";

  private static final long LIMIT_SECONDS = 10;

  private final Process process;
  private final Path log;

  private GuardedProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a server.
   *
   * @param log the file for the server's output
   * @param signal the signal that ends the server, such as {@code KILL}
   */
  static GuardedProcess start(Path log, String signal, List<String> command) {
    List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guard", signal));
    guarded.addAll(command);
    try {
      return new GuardedProcess(
          new ProcessBuilder(guarded)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start(),
          log);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** Returns what the process has printed. */
  String output() {
    try {
      return Files.readString(log).strip();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Ends the server by its signal, or kills the server if it takes too long. */
  @Override
  public void close() {
    List<ProcessHandle> children = process.descendants().toList();
    try {
      process.getOutputStream().close();
    } catch (IOException hasEnded) {
      // The pipe has no reader if the process has already ended.
    }
    process.onExit().completeOnTimeout(process, LIMIT_SECONDS, TimeUnit.SECONDS).join();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    process.onExit().join();
    children.forEach(each -> each.onExit().join());
  }
}
