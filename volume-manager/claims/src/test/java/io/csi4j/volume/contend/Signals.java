package io.csi4j.volume.contend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends signals to processes that a test has started. */
public final class Signals {

  private Signals() {}

  /** Sends a signal, such as {@code STOP}, to one process. */
  public static void send(String name, long pid) {
    run("kill", "-" + name, Long.toString(pid));
  }

  /** Sends a signal to a process that may be ending; one that has ended is passed over. */
  public static void sendUnlessEnded(String name, ProcessHandle process) {
    try {
      send(name, process.pid());
    } catch (AssertionError failed) {
      if (process.isAlive()) {
        throw failed;
      }
    }
  }

  /**
   * Stops a process, and waits until all its threads stand still, if it has not ended. The signal
   * alone lets them run on until one of them is scheduled and takes it.
   */
  public static void stop(ProcessHandle process) {
    sendUnlessEnded("STOP", process);
    while (process.isAlive() && !standsStill(process)) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
    }
  }

  private static boolean standsStill(ProcessHandle process) {
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      for (Path thread : all) {
        String stat = Files.readString(thread.resolve("stat"));
        // The name of the thread, in parentheses, may have any characters.
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    } catch (IOException ended) {
      // A thread or the process has ended meanwhile.
      return false;
    }
  }

  /** Runs a program that has to succeed. */
  public static void run(String... command) {
    try {
      Process program = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = program.waitFor();
      if (status != 0) {
        throw new AssertionError(
            String.join(" ", command) + " ended with " + status + ": " + output.strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
