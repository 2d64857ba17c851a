package io.csi4j.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of a trial: a host, a driver or a sidecar. The process may end at any moment. */
final class TrialProcess implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** The last entry in the queue of answers, which shows that the process has ended. */
  private static final String END = "the process has ended";

  private final Process process;
  private final PrintStream orders;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private TrialProcess(Process process) {
    this.process = process;
    this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "answers of " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts a driver by its command. */
  static TrialProcess driver(String command, Path socket, Path data, Path log) throws IOException {
    return of(
        command, Map.of("CSI_ENDPOINT", "unix://" + socket, "DRIVER_DATA", data.toString()), log);
  }

  /**
   * Starts a command in a shell, with these environment variables. The output is appended to a
   * file.
   */
  static TrialProcess of(String command, Map<String, String> environment, Path log)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", "exec " + command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    return new TrialProcess(builder.start());
  }

  /** Starts a host with the JVM and the class path of this process. */
  static TrialProcess host(Path directory, Path socket, int force) throws IOException {
    List<String> command =
        Stream.concat(
                MortalPlugin.command(TrialHost.class, directory).stream(),
                Stream.of(socket.toString(), String.valueOf(force)))
            .toList();
    return new TrialProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(answers::add);
    } catch (IOException | UncheckedIOException killed) {
      // The pipe breaks when the process is killed.
    }
    answers.add(END);
  }

  void order(String order) {
    orders.println(order);
  }

  /** Waits for the next answer that begins with one of these words, and skips other answers. */
  String answer(String... beginnings) {
    try {
      while (true) {
        String answer = answers.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (answer == null || answer.equals(END)) {
          throw new IllegalStateException(
              "The host gave no answer that begins with "
                  + String.join(" or ", beginnings)
                  + (answer == null ? " within " + LIMIT.toSeconds() + " s." : ": " + END + "."));
        }
        if (Stream.of(beginnings).anyMatch(answer::startsWith)) {
          return answer;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for the host.", e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends the process SIGTERM, and waits for its end. */
  void terminate() {
    process.destroy();
    end();
  }

  /** Waits for the end of the process, and returns its exit status. */
  int end() {
    try {
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("A process goes on after " + LIMIT.toSeconds() + " s.");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for a process.", e);
    }
  }

  /**
   * Kills the process and all processes that it started, like {@code kill -9}, and waits for their
   * end.
   */
  void kill() {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(each -> each.onExit().join());
  }

  @Override
  public void close() {
    kill();
  }
}
