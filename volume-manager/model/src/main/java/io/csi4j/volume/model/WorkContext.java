package io.csi4j.volume.model;

/**
 * The context in which a call is sent to a plugin, such as a tracing span. A listener that returns
 * a context determines what is current on the thread that sends the call; the metadata of the call
 * ({@link io.csi4j.client.model.ConnectOptions.CallMetadata}) is requested on that thread.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface WorkContext {

  /**
   * Runs the work once, on this thread, before it returns. If it does not run the work, or throws
   * before, the work is run without the context.
   */
  void run(Runnable work);

  /** Returns the context that has no effect. */
  static WorkContext none() {
    return Runnable::run;
  }
}
