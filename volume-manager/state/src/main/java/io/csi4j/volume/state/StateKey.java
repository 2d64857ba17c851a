package io.csi4j.volume.state;

import java.util.Objects;

/**
 * The key of a stored value.
 *
 * @param kind the kind of the key
 * @param id 1 to 128 of the characters {@code A-Z a-z 0-9 . _ -}; intended for hashes and plugin
 *     names, so that a caller's text cannot do harm in a file or a message
 * @since 1.0
 */
public record StateKey(Kind kind, String id) implements Comparable<StateKey> {

  /** The maximum length of an id, in characters. */
  public static final int MAX_ID = 128;

  /** Checks the id. */
  public StateKey {
    Objects.requireNonNull(kind, "kind");
    if (!isId(id)) {
      throw new IllegalArgumentException(
          "The id of a state key has 1 to 128 of the characters A-Z a-z 0-9 . _ -; this one has "
              + "others, or "
              + id.length()
              + " characters. Use a hash of the text instead.");
    }
  }

  /** Returns the key of a volume. */
  public static StateKey volume(String id) {
    return new StateKey(Kind.VOLUME, id);
  }

  /** Returns the key of the tombstone of a released volume. */
  public static StateKey tombstone(String id) {
    return new StateKey(Kind.TOMBSTONE, id);
  }

  /** Returns the key of a plugin. */
  public static StateKey plugin(String id) {
    return new StateKey(Kind.PLUGIN, id);
  }

  /** Returns the key of a claim. */
  public static StateKey claim(String id) {
    return new StateKey(Kind.CLAIM, id);
  }

  /** Returns the key of a volume of a storage system. */
  public static StateKey catalog(String id) {
    return new StateKey(Kind.CATALOG, id);
  }

  /** Returns the key of the cluster of a node. */
  public static StateKey cluster() {
    return new StateKey(Kind.CLUSTER, "cluster");
  }

  /** Whether this text is a valid id. */
  public static boolean isId(String text) {
    // Not a regular expression: a start with many volumes checks each of their records.
    for (int at = 0; at < text.length(); at++) {
      if (!isOfId(text.charAt(at))) {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= MAX_ID;
  }

  private static boolean isOfId(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || (c >= 'A' && c <= 'Z')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  @Override
  public int compareTo(StateKey other) {
    int byKind = kind.compareTo(other.kind);
    return byKind != 0 ? byKind : id.compareTo(other.id);
  }

  /** Returns kind and id, such as {@code VOLUME/k7x2}. */
  @Override
  public String toString() {
    return kind + "/" + id;
  }

  /**
   * The kinds of keys. A store separates the kinds: each may have the same id once.
   *
   * @since 1.0
   */
  public enum Kind {
    /** A volume: its wanted state and its progress. */
    VOLUME,
    /** A released volume, kept so that a late effect can be attributed to it. */
    TOMBSTONE,
    /** A plugin: its endpoint and its capabilities. */
    PLUGIN,
    /** A claim that this host holds on a volume. */
    CLAIM,
    /** A volume of a storage system: its request and its progress. */
    CATALOG,
    /** The cluster that this node belongs to. */
    CLUSTER
  }
}
