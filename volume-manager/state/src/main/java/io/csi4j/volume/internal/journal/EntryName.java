package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The key of a record as it stands in the file: its kind may be one that only a later version
 * knows.
 *
 * @param kind the number of the kind
 * @param id the id within the kind
 */
record EntryName(int kind, String id) {

  static final int HEADER = 1;
  static final int VOLUME = 2;
  static final int TOMBSTONE = 3;
  static final int PLUGIN = 4;
  static final int END = 5;
  static final int CLAIM = 6;
  static final int DOUBT = 7;
  static final int CATALOG = 8;

  /** The kinds of keys by their numbers; null where a number is of something else. */
  private static final @Nullable StateKind[] KEYS = new @Nullable StateKind[CATALOG + 1];

  static {
    KEYS[VOLUME] = StateKind.VOLUME;
    KEYS[TOMBSTONE] = StateKind.TOMBSTONE;
    KEYS[PLUGIN] = StateKind.PLUGIN;
    KEYS[CLAIM] = StateKind.CLAIM;
    KEYS[CATALOG] = StateKind.CATALOG;
  }

  static EntryName of(StateKey key) {
    int kind = 0;
    while (KEYS[kind] != key.kind()) {
      kind++;
    }
    return new EntryName(kind, key.id());
  }

  /** The key, if this version knows its kind. */
  Optional<StateKey> key() {
    StateKind known = kind >= 0 && kind < KEYS.length ? KEYS[kind] : null;
    return known == null ? Optional.empty() : Optional.of(new StateKey(known, id));
  }

  /** Whether it is about the file and not about the state. */
  boolean isOfTheFile() {
    return kind == HEADER || kind == END;
  }
}
