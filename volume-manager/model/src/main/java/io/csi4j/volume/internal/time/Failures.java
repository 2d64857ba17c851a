package io.csi4j.volume.internal.time;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Failures of background work, which have no caller to report them to. */
public final class Failures {

  private Failures() {}

  /**
   * Logs a failure as an error. If logging itself fails, for example because memory is exhausted,
   * that failure is ignored.
   */
  public static void log(Logger logger, String text, Throwable failure) {
    try {
      logger.log(Level.ERROR, text, failure);
    } catch (RuntimeException | Error unlogged) {
      // Running the next task is more important than a log line.
      rethrowEnd(unlogged);
    }
  }

  /**
   * Rethrows {@link ThreadDeath}, which ends the thread; any other throwable ends only its task.
   */
  public static void rethrowEnd(Throwable thrown) {
    if (thrown instanceof ThreadDeath end) {
      throw end;
    }
  }
}
