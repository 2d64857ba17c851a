package io.csi4j.volume.state;

import java.util.Objects;

/**
 * The name of one remembered thing.
 *
 * @param kind what it is
 * @param id 1 to 128 of the characters {@code A-Z a-z 0-9 . _ -}; meant for hashes and plugin
 *     names, so that no text of a caller can do harm in a file or a message
 * @since 1.0
 */
public record StateKey(Kind kind, String id) implements Comparable<StateKey> {

  /** The longest id, in characters. */
  public static final int MAX_ID = 128;

  /** Checks the id. */
  public StateKey {
    Objects.requireNonNull(kind, "kind");
    if (!isId(id)) {
      throw new IllegalArgumentException(
          "The id of a state key has 1 to 128 of the characters A-Z a-z 0-9 . _ -, and this one"
              + " has others, or "
              + id.length()
              + " characters. Use a hash of the text instead.");
    }
  }

  /** The key of a volume. */
  public static StateKey volume(String id) {
    return new StateKey(Kind.VOLUME, id);
  }

  /** The key of what is left of a volume that was given back. */
  public static StateKey tombstone(String id) {
    return new StateKey(Kind.TOMBSTONE, id);
  }

  /** The key of a plugin. */
  public static StateKey plugin(String id) {
    return new StateKey(Kind.PLUGIN, id);
  }

  /** The key of a claim. */
  public static StateKey claim(String id) {
    return new StateKey(Kind.CLAIM, id);
  }

  /** The key of a volume of a storage system. */
  public static StateKey catalog(String id) {
    return new StateKey(Kind.CATALOG, id);
  }

  /** The key of the cluster of a node. */
  public static StateKey cluster() {
    return new StateKey(Kind.CLUSTER, "cluster");
  }

  /** Whether this text can be an id. */
  public static boolean isId(String text) {
    // No expression: a start over many volumes asks this of each of their records.
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

  /** Kind and id, such as {@code VOLUME/k7x2}. */
  @Override
  public String toString() {
    return kind + "/" + id;
  }

  /**
   * The kinds of things that a key names. A store keeps the kinds apart: one id may be used once in
   * each.
   *
   * @since 1.0
   */
  public enum Kind {
    /** A volume: what is meant, and how far it is. */
    VOLUME,
    /** A volume that was given back, kept so that a late effect can be attributed to it. */
    TOMBSTONE,
    /** A plugin: where it was, and what it could. */
    PLUGIN,
    /** A claim that this host holds on a volume. */
    CLAIM,
    /** A volume of a storage system: what was asked for, and how far it is. */
    CATALOG,
    /** The cluster that this node belongs to. */
    CLUSTER
  }
}
