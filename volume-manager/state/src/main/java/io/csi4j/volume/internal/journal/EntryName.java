package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.StateKey;
import java.util.Optional;

/**
 * The key of a record as stored; only a later version may know its kind.
 *
 * @param kind the number of the kind
 * @param id the id within that kind
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
  static final int CLUSTER = 9;

  static EntryName of(StateKey key) {
    int kind =
        switch (key.kind()) {
          case VOLUME -> VOLUME;
          case TOMBSTONE -> TOMBSTONE;
          case PLUGIN -> PLUGIN;
          case CLAIM -> CLAIM;
          case CATALOG -> CATALOG;
          case CLUSTER -> CLUSTER;
        };
    return new EntryName(kind, key.id());
  }

  /** Returns the key, if this version knows its kind. */
  Optional<StateKey> key() {
    StateKey.Kind known =
        switch (kind) {
          case VOLUME -> StateKey.Kind.VOLUME;
          case TOMBSTONE -> StateKey.Kind.TOMBSTONE;
          case PLUGIN -> StateKey.Kind.PLUGIN;
          case CLAIM -> StateKey.Kind.CLAIM;
          case CATALOG -> StateKey.Kind.CATALOG;
          case CLUSTER -> StateKey.Kind.CLUSTER;
          default -> null;
        };
    return known == null ? Optional.empty() : Optional.of(new StateKey(known, id));
  }

  /** Whether the record belongs to the file rather than to the state. */
  boolean isOfTheFile() {
    return kind == HEADER || kind == END;
  }
}
