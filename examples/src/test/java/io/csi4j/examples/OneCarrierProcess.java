package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The program {@link OneCarrier} in a process of its own. */
final class OneCarrierProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;
  private final StringBuilder printed = new StringBuilder();

  private OneCarrierProcess(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a scenario in a JVM whose virtual threads have one carrier, and can get no second. */
  static OneCarrierProcess start(String scenario, Path directory) throws IOException {
    return start(scenario, directory, 1);
  }

  /**
   * Starts a scenario in a JVM whose virtual threads have one carrier.
   *
   * @param most how many carriers the JVM may make while one is held by the kernel
   */
  static OneCarrierProcess start(String scenario, Path directory, int most) throws IOException {
    assumeTrue(
        Runtime.version().feature() >= 21,
        "virtual threads came with Java 21; this is " + Runtime.version());
    return new OneCarrierProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + most,
                "-Djdk.virtualThreadScheduler.minRunnable=1",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OneCarrier.class.getName(),
                scenario,
                directory.toString())
            .redirectErrorStream(true)
            .start());
  }

  /** Waits until the program is about to make the call. */
  void awaitCalling() {
    assertThat(lineThatIs("calling")).isEqualTo("calling");
  }

  /** Lets the program make the call. */
  void call() throws IOException {
    tell();
  }

  /** Tells the program that its call waits. */
  void waits() throws IOException {
    tell();
  }

  private void tell() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Returns the verdict of the program. */
  String verdict() {
    return lineThatIs("others (ran|waited)|did not wait: .*");
  }

  private String lineThatIs(String pattern) {
    try {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.matches(pattern)) {
          return line;
        }
        printed.append(line).append('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "ended without '" + pattern + "':\n" + printed;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly();
    boolean unused = process.waitFor(20, TimeUnit.SECONDS);
  }
}
