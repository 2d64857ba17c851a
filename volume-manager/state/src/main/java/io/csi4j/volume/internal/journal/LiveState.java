package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.Doubt;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state as memory has it: the newest record of each key, those of unknown kinds included, and
 * the doubts. Not safe for several threads.
 */
final class LiveState {

  static final EntryName SETTLED = new EntryName(EntryName.DOUBT, "settled");

  private final Map<EntryName, Entry> newest;
  private List<Doubt> doubts;

  LiveState(Map<EntryName, Entry> newest, List<Doubt> doubts) {
    this.newest = new LinkedHashMap<>(newest);
    this.doubts = new ArrayList<>(doubts);
  }

  /** Takes over what a record says. */
  void apply(Entry change) {
    if (change.name().equals(SETTLED)) {
      doubts = List.of();
    } else if (change.action() == Entry.REMOVE) {
      newest.remove(change.name());
    } else {
      if (change.action() == Entry.BURY) {
        newest.remove(new EntryName(EntryName.VOLUME, change.name().id()));
      }
      newest.put(change.name(), plain(change));
    }
  }

  /** The record as it stands in a file without history, where there is nothing left to bury. */
  static Entry plain(Entry entry) {
    return entry.action() == Entry.BURY
        ? new Entry(entry.seq(), entry.epoch(), entry.name(), Entry.PUT, entry.value())
        : entry;
  }

  /** The state after a change, without making it. */
  LiveState with(@Nullable Entry change) {
    LiveState then = new LiveState(newest, doubts);
    if (change != null) {
      then.apply(change);
    }
    return then;
  }

  /** All that a file without history has to hold. */
  Collection<Entry> records() {
    List<Entry> all = new ArrayList<>(newest.values());
    int i = 0;
    for (Doubt doubt : DoubtCodec.split(doubts)) {
      all.add(
          Entry.unplaced(
              new EntryName(EntryName.DOUBT, "d" + i++), Entry.PUT, DoubtCodec.encode(doubt)));
    }
    return all;
  }

  LoadedState toLoaded(@Nullable HostIdentity writtenOn) {
    LoadedState.Builder loaded = LoadedState.builder();
    newest.forEach(
        (name, entry) ->
            name.key().ifPresent(key -> loaded.value(key, StateValue.of(entry.value()))));
    doubts.forEach(loaded::doubt);
    if (writtenOn != null) {
      loaded.writtenOn(writtenOn);
    }
    return loaded.build();
  }

  List<Doubt> doubts() {
    return List.copyOf(doubts);
  }

  /** The number of keys that this version knows. */
  int keys() {
    return (int) newest.keySet().stream().filter(name -> name.key().isPresent()).count();
  }
}
