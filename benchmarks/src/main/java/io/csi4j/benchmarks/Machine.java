package io.csi4j.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Properties;

/** The machine on which the figures were measured, and the date. */
public final class Machine {

  private Machine() {}

  /**
   * Returns one sentence about the machine. The script {@code benchmarks/run} reads the date from
   * this sentence.
   */
  static String text() throws IOException {
    return "Measured on "
        + LocalDate.now(ZoneOffset.UTC)
        + ": JDK "
        + System.getProperty("java.runtime.version")
        + ", Linux "
        + System.getProperty("os.version")
        + " "
        + System.getProperty("os.arch")
        + ", "
        + Runtime.getRuntime().availableProcessors()
        + " cores ("
        + processor()
        + "), load "
        + Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0]
        + " at the end.";
  }

  /** The feature version of the JDK in this directory, such as 25. */
  public static int javaOf(Path home) throws IOException {
    Properties release = new Properties();
    try (InputStream in = Files.newInputStream(home.resolve("release"))) {
      release.load(in);
    }
    return Runtime.Version.parse(release.getProperty("JAVA_VERSION", "").replace("\"", ""))
        .feature();
  }

  private static String processor() throws IOException {
    return Files.readString(Path.of("/proc/cpuinfo"), StandardCharsets.ISO_8859_1)
        .lines()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown model");
  }
}
