package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.text.SafeText;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs programs of this machine, without a shell and with a time limit; they are searched in these
 * directories, in this order.
 */
record Programs(List<Path> directories, Duration limit) {

  /**
   * Returns the usual directories; administrators' directories are often missing from a user's
   * path.
   */
  static Programs system() {
    return new Programs(
        List.of(Path.of("/usr/sbin"), Path.of("/sbin"), Path.of("/usr/bin"), Path.of("/bin")),
        Duration.ofSeconds(30));
  }

  /** Returns the output of a program; a failure includes the program's message. */
  String run(String name, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(find(name).toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(new File("/"));
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IOException(
            name + " did not end within " + limit.toSeconds() + " s. Check what it waits for.");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("Waiting for " + name + " failed: the thread was interrupted.", e);
    }
    // None of the programs prints more than a pipe holds.
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.exitValue() != 0) {
      throw new IOException(name + " said: " + SafeText.escape(said));
    }
    return said;
  }

  private Path find(String name) throws IOException {
    for (Path directory : directories) {
      Path program = directory.resolve(name);
      if (Files.isExecutable(program)) {
        return program;
      }
    }
    throw new IOException("there is no program " + name + " in " + directories);
  }
}
