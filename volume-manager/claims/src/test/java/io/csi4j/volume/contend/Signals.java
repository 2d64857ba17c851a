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
