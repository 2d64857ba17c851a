package io.csi4j.examples;

import io.csi4j.client.model.CsiException;
import io.csi4j.mount.model.MountException;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.state.StateException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The common code of all programs. Converts wrong arguments and failures into one line of output
 * and an exit status.
 */
final class Program {

  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int MISUSED = 2;

  private Program() {}

  /** A program that runs in a directory. */
  @FunctionalInterface
  interface Show {

    /** Runs the program in this existing directory. */
    void in(Path directory) throws IOException;
  }

  /**
   * Runs a program whose first argument is a directory. Creates the directory if it is missing.
   *
   * @param usage the name of the program and of each argument
   */
  static int show(String usage, String[] args, PrintStream err, Show show) {
    return run(
        usage,
        args,
        err,
        () -> {
          Path directory = Path.of(args[0]).toAbsolutePath();
          try {
            Files.createDirectories(directory);
            show.in(directory);
          } catch (IOException failed) {
            throw new UncheckedIOException(failed);
          }
        });
  }

  /**
   * Runs {@code body} if the number of arguments agrees with {@code usage}. Returns the exit
   * status: 0 for success, 1 if a call failed, 2 if the arguments are wrong.
   */
  static int run(String usage, String[] args, PrintStream err, Runnable body) {
    int wanted = usage.split(" ", -1).length - 1;
    try {
      if (args.length != wanted) {
        throw new IllegalArgumentException(
            "There are " + args.length + " arguments, not " + wanted + ".");
      }
      body.run();
      return DONE;
    } catch (CsiException
        | OperatorException
        | MountException
        | StateException
        | UncheckedIOException
        | IllegalStateException failed) {
      err.println(failed.getMessage());
      return FAILED;
    } catch (IllegalArgumentException wrong) {
      err.println(wrong.getMessage());
      String example =
          usage.contains("ENDPOINT")
              ? "ENDPOINT is such as unix:///run/csi/csi.sock"
              : "PATH is such as /var/lib";
      err.println("Usage: " + usage + ", where " + example);
      return MISUSED;
    }
  }
}
