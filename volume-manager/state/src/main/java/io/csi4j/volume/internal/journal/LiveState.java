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
 * The state as memory has it: the newest record of each key, those of unknown kinds included, and
 * the doubts, which are written so that they outlive a crash before a person has looked into them.
 * Not safe for several threads.
 */
final class LiveState {

  /** So many keys of a doubt fit into a record. */
  private static final int KEYS_OF_A_RECORD = 400;

  static final EntryName SETTLED = new EntryName(EntryName.DOUBT, "settled");

  /** A map that can be walked through while it changes. */
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

  /** Takes over what a record says. */
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

  /** The record as it stands in a file without history, where there is nothing left to bury. */
  static Entry plain(Entry entry) {
    return entry.action() == Entry.BURY
        ? new Entry(entry.seq(), entry.epoch(), entry.name(), Entry.PUT, entry.value())
        : entry;
  }

  /** The state after a change, without making it. */
  LiveState with(Entry change) {
    LiveState then = new LiveState(newest, doubts);
    then.apply(change);
    return then;
  }

  /**
   * Walks through all that a file without history has to hold. A key that changes on the way has
   * its old value or its new one, once.
   */
  Stream<Entry> records() {
    return Stream.concat(doubtRecords.stream(), newest.values().stream());
  }

  /** The bytes of those records. */
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

  /** The number of keys that this version knows. */
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

  /** Returns the doubts, each with as many keys as fit into a record. */
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
      throw new UncheckedIOException("Memory does not fail to be written", e);
    }
    return bytes.toByteArray();
  }

  /** The doubt in these bytes. What a later version doubts is a doubt of damage for this one. */
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
