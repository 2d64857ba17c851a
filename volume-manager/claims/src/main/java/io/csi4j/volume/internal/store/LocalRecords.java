package io.csi4j.volume.internal.store;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The records in the state of a local store.
 *
 * @param identity the identity of the store; empty if it was not written yet
 * @param records the records. If the bytes of a record do not contain its name, the name is the
 *     text of its key in the state
 * @param unnamed the keys of the records whose bytes do not contain their name
 * @param highest the highest version that may have been used
 * @param uncertainties the damage to the journal because of which records may be missing
 */
public record LocalRecords(
    Optional<StoreIdentity> identity,
    SortedMap<RecordKey, StoredRecord> records,
    Map<StateKey, RecordKey> unnamed,
    long highest,
    List<Uncertainty> uncertainties) {

  /**
   * The key of the store's identity. The keys of claims differ from it because they are longer
   * hashes.
   */
  public static final StateKey IDENTITY = StateKey.claim("identity");

  /** The key of the highest version that may have been used. */
  public static final StateKey FLOOR = StateKey.claim("floor");

  /**
   * Returns the records in a state.
   *
   * @throws RecordStoreException if the state contains claims but no identity of a store
   * @throws IllegalArgumentException if the state contains values that are not records of a store
   */
  public static LocalRecords of(LoadedState loaded) {
    check(loaded);
    SortedMap<RecordKey, StoredRecord> records = new TreeMap<>();
    Map<StateKey, RecordKey> unnamed = new HashMap<>();
    long highest = loaded.value(FLOOR).map(StoreCodec::floor).orElse(0L);
    boolean hasClaims = false;
    for (Map.Entry<StateKey, StateValue> each : loaded.values().entrySet()) {
      StateKey key = each.getKey();
      if (!key.equals(IDENTITY) && !key.equals(FLOOR)) {
        StoredRecord record = StoreCodec.local(key, each.getValue());
        records.put(record.key(), record);
        highest = Math.max(highest, record.version());
        hasClaims |= key.kind() == StateKey.Kind.CLAIM;
        if (!StoreCodec.stateKey(record.key()).equals(key)) {
          unnamed.put(key, record.key());
        }
      }
    }
    Optional<StoreIdentity> identity =
        loaded
            .value(IDENTITY)
            .map(value -> StoreCodec.identity(value.bytes(), "the identity of the store"));
    List<Uncertainty> uncertainties =
        loaded.uncertainties().stream()
            .filter(doubt -> doubt.reason() != StateException.Reason.JOURNAL_TAIL_DROPPED)
            .toList();
    if (identity.isEmpty() && hasClaims && uncertainties.isEmpty()) {
      throw new RecordStoreException(
          Reason.UNREADABLE,
          "Opening the store failed: its state has claims but no store identity. Find"
              + " out which program wrote it.");
    }
    return new LocalRecords(identity, records, unnamed, highest, uncertainties);
  }

  /**
   * Checks that a state belongs to a store of records.
   *
   * @throws IllegalArgumentException if the state contains values that are not records of a store
   */
  public static void check(LoadedState loaded) {
    for (StateKey key : loaded.values().keySet()) {
      if (key.kind() != StateKey.Kind.CLAIM && key.kind() != StateKey.Kind.CATALOG) {
        throw new IllegalArgumentException(
            "The state contains "
                + key
                + ", so it belongs to a volume manager. Use the state of a LocalStore, which"
                + " contains only claims and a catalog.");
      }
    }
  }

  /**
   * Reads the journal in the directory of a local store, without opening the store.
   *
   * @throws RecordStoreException if the directory contains no state; or if the state cannot be
   *     read, or was written by a newer version
   * @throws IllegalArgumentException if the directory belongs to a volume manager
   */
  public static JournalView journal(Path directory) {
    try {
      return JournalView.read(directory);
    } catch (StateException missing) {
      if (Files.isDirectory(directory.resolve("state"))
          && Files.isDirectory(directory.resolve("v"))) {
        throw new IllegalArgumentException(
            "Reading the records in "
                + directory
                + " failed: it is the directory of a volume manager. Use the directory of a"
                + " LocalStore.",
            missing);
      }
      throw new RecordStoreException(String.valueOf(missing.getMessage()), missing);
    }
  }

  /**
   * Returns why writes of a record may be lost; empty if none may be lost.
   *
   * @param uncertainties the damage that no operator has settled yet
   */
  public static Optional<ReasonText> uncertainty(List<Uncertainty> uncertainties, RecordKey key) {
    if (uncertainties.isEmpty()) {
      return Optional.empty();
    }
    StateKey kept = StoreCodec.stateKey(key);
    return uncertainties.stream()
        .filter(doubt -> doubt.hidesUnknownKeys() || doubt.keys().contains(kept))
        .findFirst()
        .map(
            doubt ->
                new ReasonText(
                    "its journal is uncertain (" + doubt.reason() + "): " + doubt.text()));
  }

  /** Returns the records of a space. */
  public List<StoredRecord> in(RecordKey.Space space) {
    return records.values().stream().filter(each -> each.key().space() == space).toList();
  }
}
