package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Another program, run to its end. */
public final class Program {

  private Program() {}

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
