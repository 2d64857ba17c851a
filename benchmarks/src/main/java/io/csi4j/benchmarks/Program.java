package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another program, run to its end. */
public final class Program {

  private Program() {}

  /** A program of ours in a new JVM with this much heap at most, run to its end. */
  public static List<String> java(String heap, Class<?> program, String... words)
      throws IOException, InterruptedException {
    return java(
        Path.of(System.getProperty("java.home")), List.of("-Xmx" + heap), program, List.of(words));
  }

  /** The same in a new JVM of that JDK, with these options. */
  public static List<String> java(
      Path home, List<String> options, Class<?> program, List<String> words)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(home.resolve("bin/java").toString()));
    all.addAll(options);
    all.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    all.addAll(words);
    return run(all.toArray(String[]::new));
  }

  /** The lines that it printed; an exception if it failed. */
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
