package io.csi4j.volume.state;

import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A doubt: something that a store cannot vouch for. A caller that loads it has to look at the world
 * before believing what it says of these keys; a value that is there was written once, but perhaps
 * it is not the newest.
 *
 * @since 1.0
 */
public final class Doubt {

  private final StateReason reason;
  private final SortedSet<StateKey> keys;
  private final boolean hidesUnknownKeys;
  private final String text;

  private Doubt(
      StateReason reason, Collection<StateKey> keys, boolean hidesUnknownKeys, String text) {
    this.reason = Objects.requireNonNull(reason, "reason");
    this.keys = Collections.unmodifiableSortedSet(new TreeSet<>(keys));
    this.hidesUnknownKeys = hidesUnknownKeys;
    this.text = Objects.requireNonNull(text, "text");
  }

  /** A doubt about these keys and no others. */
  public static Doubt about(StateReason reason, Collection<StateKey> keys, String text) {
    return new Doubt(reason, keys, false, text);
  }

  /** A doubt about these keys; others, which are not even known, may be missing altogether. */
  public static Doubt aboutMoreThan(StateReason reason, Collection<StateKey> keys, String text) {
    return new Doubt(reason, keys, true, text);
  }

  /** Why. */
  public StateReason reason() {
    return reason;
  }

  /** The keys whose value may be older than the newest, or missing, or already removed. */
  public SortedSet<StateKey> keys() {
    return keys;
  }

  /** Whether keys that are not known any more may be missing. */
  public boolean hidesUnknownKeys() {
    return hidesUnknownKeys;
  }

  /** One line for an operator: what was found, and what it means. */
  public String text() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Doubt that
        && reason == that.reason
        && hidesUnknownKeys == that.hidesUnknownKeys
        && keys.equals(that.keys)
        && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return Objects.hash(reason, keys, hidesUnknownKeys, text);
  }

  @Override
  public String toString() {
    return reason
        + "["
        + keys.size()
        + (hidesUnknownKeys ? " or more" : "")
        + " keys: "
        + text
        + "]";
  }
}
