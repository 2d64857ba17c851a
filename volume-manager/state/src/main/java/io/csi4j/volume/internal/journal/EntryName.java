package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import java.util.Optional;

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

  static EntryName of(StateKey key) {
    int kind =
        switch (key.kind()) {
          case VOLUME -> VOLUME;
          case TOMBSTONE -> TOMBSTONE;
          case PLUGIN -> PLUGIN;
          case CLAIM -> CLAIM;
          case CATALOG -> CATALOG;
        };
    return new EntryName(kind, key.id());
  }

  /** The key, if this version knows its kind. */
  Optional<StateKey> key() {
    StateKind known =
        switch (kind) {
          case VOLUME -> StateKind.VOLUME;
          case TOMBSTONE -> StateKind.TOMBSTONE;
          case PLUGIN -> StateKind.PLUGIN;
          case CLAIM -> StateKind.CLAIM;
          case CATALOG -> StateKind.CATALOG;
          default -> null;
        };
    return known == null ? Optional.empty() : Optional.of(new StateKey(known, id));
  }

  /** Whether it is about the file and not about the state. */
  boolean isOfTheFile() {
    return kind == HEADER || kind == END;
  }
}
