package io.csi4j.benchmarks.many;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A mount namespace with foreign mounts, and with a JVM whose engine mounts volumes in it. */
final class MountNamespace implements AutoCloseable {

  /** Number of mounts that are reserved for the engine. */
  private static final int SPARE = 100;

  private final Process process;
  private final BufferedReader said;
  private final Writer asked;

  private MountNamespace(Process process) {
    this.process = process;
    said =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    asked = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
  }

  /**
   * Creates a namespace with all mounts of the current namespace and {@code count} foreign mounts.
   *
   * @param root the root of the engine, on disk
   * @param source the directory that all binds show
   * @param strangers the directory of the foreign mounts
   */
  static MountNamespace with(int count, Path root, String source, Path strangers, String heap)
      throws IOException {
    Process process =
        new ProcessBuilder(
                "unshare",
                "-m",
                "--propagation",
                "private",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-cp",
                System.getProperty("java.class.path"),
                MountAmongStrangers.class.getName(),
                root.toString(),
                source,
                strangers.toString(),
                Integer.toString(count))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    MountNamespace namespace = new MountNamespace(process);
    if (!MountAmongStrangers.READY.equals(namespace.said.readLine())) {
      process.destroyForcibly();
      throw new IOException("The engine among " + count + " mounts of strangers did not start.");
    }
    return namespace;
  }

  /** Returns the maximum number of mounts that the kernel allows in a namespace. */
  static int most() throws IOException {
    // The file is read in one step, because the kernel returns nothing for a second read.
    try (BufferedReader told = Files.newBufferedReader(Path.of("/proc/sys/fs/mount-max"))) {
      return Integer.parseInt(String.valueOf(told.readLine()).strip());
    }
  }

  /**
   * Returns how many foreign mounts the kernel allows in addition to the existing mounts, rounded
   * down to hundreds.
   */
  static int room() throws IOException {
    int room = most() - Files.readAllLines(Path.of("/proc/self/mountinfo")).size() - SPARE;
    return room - room % 100;
  }

  /**
   * The medians of one window, in nanoseconds.
   *
   * @param mount the median mount
   * @param unmount the median unmount
   */
  record Medians(double mount, double unmount) {}

  /** Mounts and unmounts a volume for one window, and returns the medians. */
  Medians medians(long millis) throws IOException {
    asked.write(millis + "\n");
    asked.flush();
    String told = said.readLine();
    if (told == null) {
      throw new IOException("The engine in a mount namespace has ended.");
    }
    List<Double> figures = List.of(told.split(" ", -1)).stream().map(Double::valueOf).toList();
    return new Medians(figures.get(0), figures.get(1));
  }

  /** Ends the engine, which also ends the namespace. */
  @Override
  public void close() throws IOException {
    asked.close();
    process.onExit().join();
  }
}
