package io.csi4j.volume.model;

/**
 * The context in which a call to a plugin is sent, such as a span that is current meanwhile. A
 * listener that returns one decides what is current on the thread that sends the call; the metadata
 * of the call ({@link io.csi4j.client.model.ConnectOptions.CallMetadata}) is asked for on that
 * thread.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface WorkContext {

  /**
   * Runs the work once, on this thread, before it returns. Work that it does not run, or that it
   * throws before, is run without it.
   */
  void run(Runnable work);

  /** Returns the context that changes nothing. */
  static WorkContext none() {
    return Runnable::run;
  }
}
