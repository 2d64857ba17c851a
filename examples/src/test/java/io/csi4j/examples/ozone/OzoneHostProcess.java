package io.csi4j.examples.ozone;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An {@link OzoneHost} in a process of its own, which can be killed. */
final class OzoneHostProcess implements AutoCloseable {

  private final Process process;
  private final PrintStream orders;
  private final BufferedReader answers;
  private final String found;

  private OzoneHostProcess(Process process) {
    this.process = process;
    orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers = process.inputReader(StandardCharsets.UTF_8);
    found = answer();
  }

  /** Starts a host over a directory, and waits until it has opened its manager. */
  static OzoneHostProcess start(Path root, OzoneServer server) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Xmx256m",
            "-Dslf4j.internal.verbosity=ERROR",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            OzoneHost.class.getName(),
            root.toString(),
            server.socket().toString()));
    try {
      return new OzoneHostProcess(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the uses that its manager found at the start. */
  String found() {
    return found;
  }

  /** Sends an order, and returns the outcome. */
  String ask(String order) {
    order(order);
    return answer();
  }

  /** Sends an order, and does not wait for the outcome. */
  void order(String order) {
    orders.println(order);
  }

  /** Returns the next outcome. */
  String answer() {
    try {
      return String.valueOf(answers.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
