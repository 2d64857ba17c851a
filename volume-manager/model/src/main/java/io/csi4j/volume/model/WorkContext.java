package io.csi4j.volume.model;

/**
 * The context in which a call is sent to a plugin, such as a tracing span. A listener can return a
 * context to determine, for example, which span is current on the thread that sends the call. The
 * metadata of the call ({@link io.csi4j.client.model.ConnectOptions.CallMetadata}) is also
 * requested on that thread.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface WorkContext {

  /**
   * Runs the work once, on the current thread, before this method returns. If an implementation
   * throws before it has run the work, or does not run it, csi4j runs the work without the context.
   */
  void run(Runnable work);

  /** Returns a context that only runs the work. */
  static WorkContext none() {
    return Runnable::run;
  }
}
