package io.csi4j.volume.contend;

import java.io.IOException;
import java.io.UncheckedIOException;

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

  /** Runs a program that has to succeed. */
  public static void run(String... command) {
    try {
      int status = new ProcessBuilder(command).inheritIO().start().waitFor();
      if (status != 0) {
        throw new AssertionError(String.join(" ", command) + " ended with " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
