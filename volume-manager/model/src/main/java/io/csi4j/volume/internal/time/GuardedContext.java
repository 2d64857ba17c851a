package io.csi4j.volume.internal.time;

import io.csi4j.volume.model.WorkContext;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A wrapper of a listener's context. It runs the work exactly once, even if the context throws, or
 * runs the work twice or not at all. The work itself must not throw.
 */
public final class GuardedContext implements WorkContext {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");
  private static final AtomicBoolean HAS_FAILED = new AtomicBoolean();

  private final WorkContext context;

  private GuardedContext(WorkContext context) {
    this.context = context;
  }

  /** Wraps the context of a listener. */
  public static WorkContext of(WorkContext context) {
    return new GuardedContext(context);
  }

  @Override
  public void run(Runnable work) {
    AtomicBoolean isRun = new AtomicBoolean();
    Runnable once =
        () -> {
          if (!isRun.getAndSet(true)) {
            work.run();
          }
        };
    try {
      context.run(once);
    } catch (Throwable failure) {
      LOG.log(
          HAS_FAILED.getAndSet(true) ? Level.DEBUG : Level.WARNING,
          "The context that a listener gave for a call failed. The call is sent all the same;"
              + " further failures are logged for debugging only. Fix the listener.",
          failure);
    } finally {
      once.run();
    }
  }
}
