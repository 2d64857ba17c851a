package io.csi4j.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs another program to its end. */
public final class Program {

  private Program() {}

  /** Runs a program of this module in a new JVM, with this maximum heap size. */
  public static List<String> java(String heap, Class<?> program, String... words)
      throws IOException, InterruptedException {
    return java(
        Path.of(System.getProperty("java.home")), List.of("-Xmx" + heap), program, List.of(words));
  }

  /** Runs the program in a new JVM of the JDK in {@code home}, with these options. */
  public static List<String> java(
      Path home, List<String> options, Class<?> program, List<String> words)
      throws IOException, InterruptedException {
    return run(command(home, options, program, words));
  }

  /**
   * Runs a program of this module in a new JVM, with this maximum heap size. Returns the
   * nanoseconds from the start to the first output line that begins with {@code line}.
   */
  public static double nanosUntil(String line, String heap, Class<?> program, String... words)
      throws IOException, InterruptedException {
    double nanos = Double.NaN;
    List<String> said = new ArrayList<>();
    String[] command =
        command(
            Path.of(System.getProperty("java.home")),
            List.of("-Xmx" + heap),
            program,
            List.of(words));
    long begun = System.nanoTime();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String next = out.readLine(); next != null; next = out.readLine()) {
        said.add(next);
        if (Double.isNaN(nanos) && next.startsWith(line)) {
          nanos = (double) (System.nanoTime() - begun);
        }
      }
    }
    if (process.waitFor() != 0 || Double.isNaN(nanos)) {
      throw new IOException(String.join(" ", command) + " failed: " + String.join("\n", said));
    }
    return nanos;
  }

  private static String[] command(
      Path home, List<String> options, Class<?> program, List<String> words) {
    List<String> all = new ArrayList<>(List.of(home.resolve("bin/java").toString()));
    all.addAll(options);
    all.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    all.addAll(words);
    return all.toArray(String[]::new);
  }

  /**
   * Runs a command, and returns the lines that it printed. Throws an exception if the command
   * fails.
   */
  public static List<String> run(String... words) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", words) + " failed: " + said);
    }
    return said.lines().toList();
  }
}
