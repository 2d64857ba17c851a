package io.csi4j.volume.state;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The contents of a store: the newest valid value of each key, and its doubts. It never holds a
 * part of the state without a {@link Uncertainty} that says so.
 *
 * @param values the newest valid value of each key
 * @param uncertainties the doubts of the store, until {@link StateStore#settle()}
 * @param writtenOn where the owner before this one ran; empty for a new state
 * @since 1.0
 */
public record LoadedState(
    SortedMap<StateKey, StateValue> values,
    List<Uncertainty> uncertainties,
    Optional<HostIdentity> writtenOn) {

  /** Copies what is given. */
  public LoadedState {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    uncertainties = List.copyOf(uncertainties);
    Objects.requireNonNull(writtenOn, "writtenOn");
  }

  /** The value of one key. */
  public Optional<StateValue> value(StateKey key) {
    return Optional.ofNullable(values.get(key));
  }

  /** Whether a doubt names this key. */
  public boolean isDoubtful(StateKey key) {
    return uncertainties.stream().anyMatch(doubt -> doubt.keys().contains(key));
  }

  /** Whether keys that are not among the values may be missing. */
  public boolean mayMissKeys() {
    return uncertainties.stream().anyMatch(Uncertainty::hidesUnknownKeys);
  }

  /** Shows how many values there are, and none of them. */
  @Override
  public String toString() {
    return "LoadedState[" + values.size() + " values, doubts " + uncertainties + "]";
  }
}
