package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A program in a process of its own, whose streams go to files. */
final class ChildProcess implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 120;

  private final Process process;
  private final Path out;
  private final Path err;

  private ChildProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  static ChildProcess start(Path directory, Map<String, String> environment, List<String> command)
      throws IOException {
    Path out = Files.createTempFile(directory, "out", "");
    Path err = Files.createTempFile(directory, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    // Whatever the build was started with must not change what is printed.
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    builder.environment().putAll(environment);
    return new ChildProcess(builder.start(), out, err);
  }

  /** Runs a program to its end, which must be a good one, without a word of complaint. */
  static List<String> run(Path directory, List<String> command) throws Exception {
    return run(directory, Map.of(), command);
  }

  static List<String> run(Path directory, Map<String, String> environment, List<String> command)
      throws Exception {
    try (ChildProcess child = start(directory, environment, command)) {
      int code = child.code();
      assertThat(child.err()).isEmpty();
      assertThat(code).as(child.out()).isZero();
      return child.out().lines().toList();
    }
  }

  /** A program of the JDK that runs this. */
  static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  /** Waits until it has printed something that holds {@code text}. */
  void awaitOut(String text) throws Exception {
    await(text, () -> out().contains(text));
  }

  /** Waits until it, or another program, has written a file. */
  void await(Path file) throws Exception {
    await(file, () -> Files.exists(file));
  }

  /** Waits until it, or another program, has written this into a file. */
  void awaitIn(Path file, String text) throws Exception {
    await(text, () -> Files.exists(file) && Files.readString(file).contains(text));
  }

  /** Waits until something has come about that it does. */
  void awaitUntil(String what, Callable<Boolean> seen) throws Exception {
    await(what, seen);
  }

  private void await(Object what, Callable<Boolean> seen) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!seen.call()) {
      assertThat(process.isAlive()).as("%s%s", out(), err()).isTrue();
      assertThat(System.nanoTime() - end).as("still waiting for %s", what).isNegative();
      process.waitFor(20, TimeUnit.MILLISECONDS);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Asks it to end, as a service manager does. */
  void terminate() {
    process.destroy();
  }

  int code() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
    return process.exitValue();
  }

  String out() throws IOException {
    return Files.readString(out);
  }

  String err() throws IOException {
    return Files.readString(err);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
