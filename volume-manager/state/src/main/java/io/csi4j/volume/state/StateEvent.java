package io.csi4j.volume.state;

import java.nio.file.Path;

/**
 * An event of a store that may concern an operator.
 *
 * @since 1.0
 */
public sealed interface StateEvent {

  /**
   * A state was opened.
   *
   * @param owner the new owner
   * @param keys the number of keys in the state
   * @param uncertainties the number of uncertainties
   */
  record Opened(StateStore.Owner owner, int keys, int uncertainties) implements StateEvent {}

  /**
   * The newest value of some keys may have been lost.
   *
   * @param uncertainty the keys, and the reason
   */
  record BecameUncertain(Uncertainty uncertainty) implements StateEvent {}

  /**
   * The state was compacted into a file without history.
   *
   * @param file the file
   * @param keys the number of keys in the state
   * @param bytes the size of the state in bytes
   */
  record Compacted(Path file, int keys, long bytes) implements StateEvent {}

  /**
   * A file was set aside for inspection; the store does not read it again.
   *
   * @param file its new path
   */
  record SetAside(Path file) implements StateEvent {}

  /**
   * The store refuses new volumes and uses; releases continue.
   *
   * @param reason the reason
   * @param text one line for an operator
   */
  record WritesStopped(StateException.Reason reason, String text) implements StateEvent {}

  /**
   * A release was recorded in memory only; after a restart the key may be in use again.
   *
   * @param key the key that was released
   * @param reason the reason why the medium does not hold the record
   */
  record KeptInMemory(StateKey key, StateException.Reason reason) implements StateEvent {}

  /**
   * The medium has all changes again, and acquisitions are accepted again.
   *
   * @param reason the reason of the past failure
   */
  record Recovered(StateException.Reason reason) implements StateEvent {}

  /**
   * A property was not as the store left it, and was repaired.
   *
   * @param reason the kind of problem
   * @param file the affected file
   */
  record Repaired(StateException.Reason reason, Path file) implements StateEvent {}

  /**
   * Another owner took the state; this store refuses everything from now on.
   *
   * @param text one line for an operator
   */
  record TakenOver(String text) implements StateEvent {}

  /**
   * A listener for the events of a store.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /**
     * Receives an event. Called on the thread that used the store, after the store has released its
     * lock, so the listener may use the store. An exception is logged and has no other effect.
     */
    void onEvent(StateEvent event);
  }
}
