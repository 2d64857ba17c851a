package io.csi4j.volume.internal.time;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** The failures of work for which nobody waits. */
public final class Failures {

  private Failures() {}

  /** Logs a failure as an error. Without memory even that fails, and then it is left out. */
  public static void log(Logger logger, String text, Throwable failure) {
    try {
      logger.log(Level.ERROR, text, failure);
    } catch (RuntimeException | Error unlogged) {
      // The work that follows matters more than a line in a log.
      rethrowEnd(unlogged);
    }
  }

  /** Throws what ends a thread; all else is a failure of its work. */
  public static void rethrowEnd(Throwable thrown) {
    if (thrown instanceof ThreadDeath end) {
      throw end;
    }
  }
}
