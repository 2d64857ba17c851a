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
   * @param doubts how many doubts it has
   */
  record Opened(StateOwner owner, int keys, int doubts) implements StateEvent {}

  /**
   * Something was found that the store cannot vouch for.
   *
   * @param doubt what
   */
  record Doubted(Doubt doubt) implements StateEvent {}

  /**
   * The state was written again into a file without history.
   *
   * @param file the file
   * @param keys how many keys it holds
   * @param bytes how many bytes they take
   */
  record Compacted(Path file, int keys, long bytes) implements StateEvent {}

  /**
   * A file was kept for a person to look at; nothing reads it again.
   *
   * @param file where it is now
   */
  record KeptAside(Path file) implements StateEvent {}

  /**
   * Nothing can be taken any more; giving back goes on.
   *
   * @param reason why
   * @param text one line for an operator
   */
  record TakingStopped(StateReason reason, String text) implements StateEvent {}

  /**
   * Something was given back that only memory knows of; a restart may bring it back as in use.
   *
   * @param key what
   * @param reason why the medium does not know it
   */
  record Remembered(StateKey key, StateReason reason) implements StateEvent {}

  /**
   * The medium holds everything again, and things can be taken.
   *
   * @param reason what was wrong until now
   */
  record Recovered(StateReason reason) implements StateEvent {}

  /**
   * Something was not as the store left it, and was set right.
   *
   * @param reason what was wrong
   * @param file where
   */
  record Repaired(StateReason reason, Path file) implements StateEvent {}

  /**
   * Another owner took the state; this store refuses everything from now on.
   *
   * @param text one line for an operator
   */
  record TakenOver(String text) implements StateEvent {}
}
