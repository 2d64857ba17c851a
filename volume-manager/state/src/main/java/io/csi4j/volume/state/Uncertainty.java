package io.csi4j.volume.state;

import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Keys whose newest value may have been lost, for example by damage to a journal. An existing value
 * was written at some time, but a newer one may be missing: a caller that loads the state must
 * compare it with the mounts of the machine before it relies on it.
 *
 * @since 1.0
 */
public final class Uncertainty {

  private final StateException.Reason reason;
  private final SortedSet<StateKey> keys;
  private final boolean hidesUnknownKeys;
  private final String text;

  private Uncertainty(
      StateException.Reason reason,
      Collection<StateKey> keys,
      boolean hidesUnknownKeys,
      String text) {
    this.reason = Objects.requireNonNull(reason, "reason");
    this.keys = Collections.unmodifiableSortedSet(new TreeSet<>(keys));
    this.hidesUnknownKeys = hidesUnknownKeys;
    this.text = Objects.requireNonNull(text, "text");
  }

  /** Returns an uncertainty about these keys and no others. */
  public static Uncertainty about(
      StateException.Reason reason, Collection<StateKey> keys, String text) {
    return new Uncertainty(reason, keys, false, text);
  }

  /** Returns an uncertainty about these keys; unknown keys may be missing as well. */
  public static Uncertainty aboutMoreThan(
      StateException.Reason reason, Collection<StateKey> keys, String text) {
    return new Uncertainty(reason, keys, true, text);
  }

  /** Returns the reason. */
  public StateException.Reason reason() {
    return reason;
  }

  /** Returns the keys whose value may be older than the newest, missing, or already removed. */
  public SortedSet<StateKey> keys() {
    return keys;
  }

  /** Whether keys may be missing that are no longer known. */
  public boolean hidesUnknownKeys() {
    return hidesUnknownKeys;
  }

  /** Returns one line for an operator: the finding, and its meaning. */
  public String text() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Uncertainty that
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
