package io.csi4j.volume.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a store: the newest valid value of each key, and its doubts. It never holds a
 * part of the state without a {@link Uncertainty} that says so.
 *
 * @since 1.0
 */
public final class LoadedState {

  private final SortedMap<StateKey, StateValue> values;
  private final List<Uncertainty> doubts;
  private final @Nullable HostIdentity writtenOn;

  private LoadedState(Builder builder) {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(builder.values));
    doubts = List.copyOf(builder.doubts);
    writtenOn = builder.writtenOn;
  }

  /** Collects what was loaded. */
  public static Builder builder() {
    return new Builder();
  }

  /** The newest valid value of each key. */
  public SortedMap<StateKey, StateValue> values() {
    return values;
  }

  /** The value of one key. */
  public Optional<StateValue> value(StateKey key) {
    return Optional.ofNullable(values.get(key));
  }

  /** Returns the doubts of the store, until {@link StateStore#settle()}. */
  public List<Uncertainty> uncertainties() {
    return doubts;
  }

  /** Whether a doubt names this key. */
  public boolean isDoubtful(StateKey key) {
    return doubts.stream().anyMatch(doubt -> doubt.keys().contains(key));
  }

  /** Whether keys that are not among the values may be missing. */
  public boolean mayMissKeys() {
    return doubts.stream().anyMatch(Uncertainty::hidesUnknownKeys);
  }

  /** Where the owner before this one ran; empty for a new state. */
  public Optional<HostIdentity> writtenOn() {
    return Optional.ofNullable(writtenOn);
  }

  @Override
  public String toString() {
    return "LoadedState[" + values.size() + " values, doubts " + doubts + "]";
  }

  /** Collects what was loaded. */
  public static final class Builder {

    private final Map<StateKey, StateValue> values = new TreeMap<>();
    private final List<Uncertainty> doubts = new ArrayList<>();
    private @Nullable HostIdentity writtenOn;

    private Builder() {}

    /** Adds the value of a key. */
    public Builder value(StateKey key, StateValue value) {
      values.put(key, value);
      return this;
    }

    /** Adds something that is not certain. */
    public Builder doubt(Uncertainty doubt) {
      doubts.add(doubt);
      return this;
    }

    /** Sets where the owner before this one ran. */
    public Builder writtenOn(HostIdentity host) {
      writtenOn = host;
      return this;
    }

    /** Returns the loaded state. */
    public LoadedState build() {
      return new LoadedState(this);
    }
  }
}
