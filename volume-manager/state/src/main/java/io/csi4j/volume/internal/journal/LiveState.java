package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state in memory: the newest record of each key, including those of unknown kinds, and the
 * uncertainties, which are written so that they survive a crash until a person has resolved them.
 * Not thread-safe.
 */
final class LiveState {

  /** The maximum number of keys of an uncertainty in one record. */
  private static final int KEYS_OF_A_RECORD = 400;

  static final EntryName SETTLED = new EntryName(EntryName.DOUBT, "settled");

  /** A map that can be iterated while it changes. */
  private final Map<EntryName, Entry> newest = new ConcurrentHashMap<>();

  private List<Uncertainty> doubts;
  private List<Entry> doubtRecords;
  private long bytes;
  private int keys;

  LiveState(Map<EntryName, Entry> newest, List<Uncertainty> doubts) {
    this.doubts = List.copyOf(doubts);
    this.doubtRecords = records(doubts);
    this.bytes = doubtRecords.stream().mapToLong(Entry::size).sum();
    newest.values().forEach(this::put);
  }

  /** Applies a record. */
  void apply(Entry change) {
    if (change.name().equals(SETTLED)) {
      doubtRecords.forEach(record -> count(record, -1));
      doubtRecords = List.of();
      doubts = List.of();
    } else if (change.action() == Entry.REMOVE) {
      remove(change.name());
    } else {
      if (change.action() == Entry.BURY) {
        remove(new EntryName(EntryName.VOLUME, change.name().id()));
      }
      put(plain(change));
    }
  }

  private void put(Entry entry) {
    count(newest.put(entry.name(), entry), -1);
    count(entry, 1);
  }

  private void remove(EntryName name) {
    count(newest.remove(name), -1);
  }

  private void count(@Nullable Entry entry, int sign) {
    if (entry != null) {
      bytes += (long) sign * entry.size();
      keys += entry.name().key().isPresent() ? sign : 0;
    }
  }

  /** Returns the record for a file without history, in which no volume has to be removed. */
  static Entry plain(Entry entry) {
    return entry.action() == Entry.BURY
        ? new Entry(entry.seq(), entry.epoch(), entry.name(), Entry.PUT, entry.value())
        : entry;
  }

  /** Returns the state after a change, without modifying this one. */
  LiveState with(Entry change) {
    LiveState then = new LiveState(newest, doubts);
    then.apply(change);
    return then;
  }

  /**
   * Returns all records of a file without history. A key that changes during the iteration occurs
   * once, with its old or its new value.
   */
  Stream<Entry> records() {
    return Stream.concat(doubtRecords.stream(), newest.values().stream());
  }

  /** Returns the size of those records in bytes. */
  long bytes() {
    return bytes;
  }

  LoadedState toLoaded(@Nullable HostIdentity writtenOn) {
    SortedMap<StateKey, StateValue> values = new TreeMap<>();
    newest.forEach(
        (name, entry) ->
            name.key().ifPresent(key -> values.put(key, StateValue.ofWrapped(entry.value()))));
    return new LoadedState(values, doubts, Optional.ofNullable(writtenOn));
  }

  List<Uncertainty> uncertainties() {
    return doubts;
  }

  /** Returns the number of keys of kinds that this version knows. */
  int keys() {
    return keys;
  }

  private static List<Entry> records(List<Uncertainty> doubts) {
    List<Entry> all = new ArrayList<>();
    for (Uncertainty doubt : split(doubts)) {
      EntryName name = new EntryName(EntryName.DOUBT, "d" + all.size());
      all.add(Entry.unplaced(name, Entry.PUT, encode(doubt)));
    }
    return all;
  }

  /** Returns the uncertainties, each with at most as many keys as fit into a record. */
  private static List<Uncertainty> split(List<Uncertainty> doubts) {
    List<Uncertainty> small = new ArrayList<>();
    for (Uncertainty doubt : doubts) {
      List<StateKey> keys = List.copyOf(doubt.keys());
      int from = 0;
      do {
        int to = Math.min(keys.size(), from + KEYS_OF_A_RECORD);
        List<StateKey> some = keys.subList(from, to);
        small.add(
            doubt.hidesUnknownKeys()
                ? Uncertainty.aboutMoreThan(doubt.reason(), some, doubt.text())
                : Uncertainty.about(doubt.reason(), some, doubt.text()));
        from = to;
      } while (from < keys.size());
    }
    return small;
  }

  private static byte[] encode(Uncertainty doubt) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(doubt.reason().name());
      out.writeBoolean(doubt.hidesUnknownKeys());
      out.writeUTF(doubt.text());
      out.writeShort(doubt.keys().size());
      for (StateKey key : doubt.keys()) {
        out.writeByte(EntryName.of(key).kind());
        out.writeUTF(key.id());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  /** Decodes an uncertainty. An unknown reason of a later version is read as damage. */
  static Uncertainty decodeDoubt(byte[] bytes) {
    List<StateKey> keys = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      StateException.Reason reason = StateException.Reason.valueOf(in.readUTF());
      boolean more = in.readBoolean();
      String text = in.readUTF();
      int count = in.readUnsignedShort();
      for (int i = 0; i < count; i++) {
        new EntryName(in.readUnsignedByte(), in.readUTF()).key().ifPresent(keys::add);
      }
      return more
          ? Uncertainty.aboutMoreThan(reason, keys, text)
          : Uncertainty.about(reason, keys, text);
    } catch (IOException | IllegalArgumentException e) {
      return Uncertainty.aboutMoreThan(
          StateException.Reason.JOURNAL_DAMAGED,
          keys,
          "An earlier doubt cannot be read. Reconcile all.");
    }
  }
}
