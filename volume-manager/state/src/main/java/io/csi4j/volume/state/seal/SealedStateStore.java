package io.csi4j.volume.state.seal;

import io.csi4j.volume.internal.seal.SealedBytes;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A store that seals the values of another store. Existing values that are in clear text, or sealed
 * with a former key, are readable, and are sealed with the current key when the store is opened;
 * the medium may keep older copies for a while. Keys are not sealed: they are hashes and names of
 * plugins.
 *
 * @since 1.0
 */
public final class SealedStateStore implements StateStore {

  private final StateStore store;
  private final Sealer sealer;

  private SealedStateStore(StateStore store, Sealer sealer) {
    this.store = store;
    this.sealer = sealer;
  }

  /**
   * Seals the values of this store, which is closed together with the returned one.
   *
   * @throws StateException {@link StateException.Reason#STATE_SEALED} if a value cannot be opened;
   *     the given store is closed in that case
   */
  public static SealedStateStore on(StateStore store, Sealer sealer) {
    Objects.requireNonNull(store, "store");
    SealedStateStore sealed = new SealedStateStore(store, Objects.requireNonNull(sealer, "sealer"));
    try {
      sealed.sealAnew();
      return sealed;
    } catch (StateException e) {
      store.close();
      throw e;
    }
  }

  /** Seals values that are in clear text, or sealed with a former key, with the current one. */
  private void sealAnew() {
    for (Map.Entry<StateKey, StateValue> each : store.load().values().entrySet()) {
      StateValue clear = opened(each.getKey(), each.getValue());
      if (!each.getValue().isSealed()
          || !sealer.isCurrent(SealedBytes.unmarked(each.getValue().bytes()))) {
        store.put(each.getKey(), sealed(each.getKey(), clear), Durability.BEST_EFFORT);
      }
    }
  }

  @Override
  public LoadedState load() {
    LoadedState loaded = store.load();
    SortedMap<StateKey, StateValue> values = new TreeMap<>(loaded.values());
    values.replaceAll(this::opened);
    return new LoadedState(values, loaded.uncertainties(), loaded.writtenOn());
  }

  @Override
  public Stored put(StateKey key, StateValue value, Durability durability) {
    return store.put(key, sealed(key, value), durability);
  }

  @Override
  public Stored remove(StateKey key) {
    return store.remove(key);
  }

  @Override
  public Stored bury(StateKey volume, StateValue tombstone) {
    return store.bury(volume, sealed(StateKey.tombstone(volume.id()), tombstone));
  }

  @Override
  public Stored settle() {
    return store.settle();
  }

  @Override
  public StateStore.Capacity capacity() {
    return store.capacity();
  }

  @Override
  public StateStore.Owner owner() {
    return store.owner();
  }

  @Override
  public void close() {
    store.close();
  }

  private StateValue sealed(StateKey key, StateValue value) {
    try {
      return StateValue.ofWrapped(SealedBytes.marked(sealer.seal(value.bytes(), key.toString())));
    } catch (SealException e) {
      throw refused("Sealing ", key, e);
    }
  }

  private StateValue opened(StateKey key, StateValue value) {
    if (!value.isSealed()) {
      return value;
    }
    try {
      return StateValue.ofWrapped(sealer.open(SealedBytes.unmarked(value.bytes()), key.toString()));
    } catch (SealException e) {
      throw refused("Opening ", key, e);
    }
  }

  private static StateException refused(String what, StateKey key, SealException e) {
    return new StateException(
        StateException.Reason.STATE_SEALED,
        what + key + " of the state failed: " + e.getMessage(),
        e);
  }
}
