package io.csi4j.volume.claim.etcd;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends signals to processes that a test has started. */
public final class Signals {

  private Signals() {}

  /** Sends a signal, such as {@code STOP}, to one process. */
  public static void send(String name, long pid) {
    try {
      int status =
          new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
      if (status != 0) {
        throw new AssertionError("kill -" + name + " ended with " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
