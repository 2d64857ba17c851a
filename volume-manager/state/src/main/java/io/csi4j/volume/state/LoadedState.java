package io.csi4j.volume.state;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The contents of a store: the newest valid value of each key, and the uncertainties. An incomplete
 * state always has an {@link Uncertainty} that describes what is missing.
 *
 * @param values the newest valid value of each key
 * @param uncertainties the uncertainties of the store, until {@link StateStore#settle()}
 * @param writtenOn the host of the previous owner; empty for a new state
 * @since 1.0
 */
public record LoadedState(
    SortedMap<StateKey, StateValue> values,
    List<Uncertainty> uncertainties,
    Optional<HostIdentity> writtenOn) {

  /** Copies the arguments. */
  public LoadedState {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    uncertainties = List.copyOf(uncertainties);
    Objects.requireNonNull(writtenOn, "writtenOn");
  }

  /** Returns the value of a key. */
  public Optional<StateValue> value(StateKey key) {
    return Optional.ofNullable(values.get(key));
  }

  /** Whether an uncertainty names this key. */
  public boolean isDoubtful(StateKey key) {
    return uncertainties.stream().anyMatch(doubt -> doubt.keys().contains(key));
  }

  /** Whether keys may be missing that have no value here. */
  public boolean mayMissKeys() {
    return uncertainties.stream().anyMatch(Uncertainty::hidesUnknownKeys);
  }

  /** Shows only the number of values. */
  @Override
  public String toString() {
    return "LoadedState[" + values.size() + " values, doubts " + uncertainties + "]";
  }
}
