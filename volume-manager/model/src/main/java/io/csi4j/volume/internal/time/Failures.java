package io.csi4j.volume.internal.time;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Handles failures of background work, which has no caller that could receive them. */
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
      // The thread must continue with the next task even if the failure could not be logged.
      rethrowEnd(unlogged);
    }
  }

  /**
   * Rethrows the throwable if it is {@link ThreadDeath}, which must end the thread. Any other
   * throwable ends only the current task.
   */
  public static void rethrowEnd(Throwable thrown) {
    if (thrown instanceof ThreadDeath end) {
      throw end;
    }
  }
}
