package io.csi4j.mount.real;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Another process: a shell that does what it is told, line by line. */
public final class Neighbour implements AutoCloseable {

  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  private Neighbour(String... command) {
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    in = process.outputWriter(StandardCharsets.UTF_8);
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    run(":");
  }

  /** A process in the mount namespace of this thread. */
  public static Neighbour here() {
    return new Neighbour("sh");
  }

  /**
   * A process in a mount namespace of its own, which begins as a copy of this thread's.
   *
   * @param propagation private, slave, shared, or unchanged
   */
  public static Neighbour elsewhere(String propagation) {
    return new Neighbour("unshare", "-m", "--propagation", propagation, "sh");
  }

  /** Its number. */
  public long pid() {
    return process.pid();
  }

  /** Has it run a command, waits for its end and gives the lines that it wrote. */
  public List<String> run(String command) {
    try {
      in.write(command + "\necho \"END $?\"\n");
      in.flush();
      Stream.Builder<String> lines = Stream.builder();
      while (true) {
        String line = out.readLine();
        if (line == null) {
          throw new AssertionError("the process ended in: " + command);
        }
        if (line.startsWith("END ")) {
          return lines.build().toList();
        }
        lines.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The rows of the table of mounts that it sees. */
  public List<String> rows() {
    return Scratch.rows(Long.toString(pid()));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
