package io.csi4j.volume.state;

import java.nio.file.Path;

/**
 * Something that an operator may want to know of a store.
 *
 * @since 1.0
 */
public sealed interface StateEvent {

  /**
   * A state was opened.
   *
   * @param owner who owns it now
   * @param keys how many keys it holds
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
   * The state was written again into a file without history.
   *
   * @param file the file
   * @param keys how many keys it holds
   * @param bytes how many bytes they take
   */
  record Compacted(Path file, int keys, long bytes) implements StateEvent {}

  /**
   * A file was set aside for a person to look at; the store does not read it again.
   *
   * @param file where it is now
   */
  record SetAside(Path file) implements StateEvent {}

  /**
   * The store refuses new volumes and uses; releases continue.
   *
   * @param reason why
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
   * The medium holds everything again, and things can be taken.
   *
   * @param reason what was wrong until now
   */
  record Recovered(StateException.Reason reason) implements StateEvent {}

  /**
   * Something was not as the store left it, and was set right.
   *
   * @param reason what was wrong
   * @param file where
   */
  record Repaired(StateException.Reason reason, Path file) implements StateEvent {}

  /**
   * Another owner took the state; this store refuses everything from now on.
   *
   * @param text one line for an operator
   */
  record TakenOver(String text) implements StateEvent {}

  /**
   * Is told what happens to a store.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /**
     * Something happened. Called on the thread that used the store, after the store let go of its
     * lock, so it may use the store. What it throws is logged and changes nothing.
     */
    void onEvent(StateEvent event);
  }
}
