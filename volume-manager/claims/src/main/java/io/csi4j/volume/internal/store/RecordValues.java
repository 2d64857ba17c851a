package io.csi4j.volume.internal.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.seal.SealedBytes;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.RecordName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the values of one space of a store. Values are encoded, and encrypted if the
 * store has a key. Each write contains a unique mark. When a value is written again, unknown fields
 * of a newer version are kept.
 *
 * @param <T> the type of the values
 */
public final class RecordValues<T> {

  private final RecordStore store;
  private final ValueCodec<T> codec;

  /** Creates an object for the space of this codec in a store. */
  public RecordValues(RecordStore store, ValueCodec<T> codec) {
    this.store = Objects.requireNonNull(store, "store");
    this.codec = Objects.requireNonNull(codec, "codec");
  }

  /**
   * A record as it was read.
   *
   * @param key the key of the record
   * @param stored the record; empty if the store had no record
   * @param value the decoded value; present exactly when the record is present
   * @param newer the unknown fields that a newer version wrote
   */
  public record Seen<T>(
      RecordKey key, Optional<StoredRecord> stored, Optional<T> value, UnknownFields newer) {

    /** Checks that the parts are consistent. */
    public Seen {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(newer, "newer");
      if (stored.isPresent() != value.isPresent()) {
        throw new IllegalArgumentException(
            "A record and its value must both be present or both be absent.");
      }
    }

    /** Returns the version of the record; 0 if the store had no record. */
    public long version() {
      return stored.map(StoredRecord::version).orElse(0L);
    }
  }

  /**
   * A record that cannot be read.
   *
   * @param key the key of the record
   * @param problem the exception, whose message has the reason and the next step
   */
  public record Unreadable(RecordKey key, RecordStoreException problem) {}

  /**
   * A page of records in the order of their keys. Records that cannot be read are listed
   * separately.
   *
   * @param records the records that can be read
   * @param unreadable the records that cannot be read
   * @param next the key after which the next page begins; empty on the last page
   */
  public record Page<T>(
      List<Seen<T>> records, List<Unreadable> unreadable, Optional<RecordKey> next) {

    /** Copies the lists. */
    public Page {
      records = List.copyOf(records);
      unreadable = List.copyOf(unreadable);
    }
  }

  /**
   * Returns the current record.
   *
   * @throws RecordStoreException if the store cannot answer, or the record cannot be read
   */
  public Seen<T> read(RecordKey key) {
    return seen(key, store.read(key));
  }

  /** Returns a watch of the changes of the space. */
  public RecordStore.Watch watch() {
    return store.watch(codec.space());
  }

  private Seen<T> seen(RecordKey key, Optional<StoredRecord> there) {
    return there
        .map(this::seen)
        .orElseGet(() -> new Seen<>(key, Optional.empty(), Optional.empty(), UnknownFields.NONE));
  }

  /**
   * Decodes a record that was read from the store.
   *
   * @throws RecordStoreException if the record cannot be decoded, or its value belongs to another
   *     key
   */
  public Seen<T> seen(StoredRecord there) {
    RecordKey key = there.key();
    if (there.version() < 1) {
      throw unreadable(
          key,
          "it has version "
              + there.version()
              + ", but a written record has at least version 1. Restore its version, or check "
              + "what the nodes have mounted before you remove the record.",
          null);
    }
    ValueCodec.Decoded<T> read;
    try {
      read = codec.decode(opened(there));
    } catch (MalformedRecordException e) {
      throw RecordStoreException.unreadable(failed(key) + e.getMessage(), e);
    }
    RecordKey own = codec.key(read.value());
    if (!own.equals(key)) {
      throw unreadable(
          key,
          "it is "
              + ForeignText.of(codec.named(own))
              + ". Find out which program wrote it, and remove the record.",
          null);
    }
    return new Seen<>(key, Optional.of(there), Optional.of(read.value()), read.newer());
  }

  private byte[] opened(StoredRecord there) {
    byte[] bytes = there.value().bytes();
    if (!there.value().isSealed()) {
      return bytes;
    }
    Optional<Sealer> sealer = store.sealer();
    if (sealer.isEmpty()) {
      throw unreadable(
          there.key(),
          "it is sealed, and this host has no key. Configure the key of the other hosts.",
          null);
    }
    try {
      return sealer.get().open(SealedBytes.unmarked(bytes), about(there.key()));
    } catch (SealException e) {
      throw unreadable(there.key(), String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Returns the text to which the encryption of a record is bound, so that the value cannot be used
   * under another key.
   */
  public static String about(RecordKey key) {
    String space =
        key.space() == RecordKey.Space.CLAIMS
            ? "claim"
            : key.space().name().toLowerCase(Locale.ROOT);
    return space + "/" + new String(RecordName.bytes(key.name()), ISO_8859_1);
  }

  private RecordStoreException unreadable(
      RecordKey key, String problem, @Nullable Throwable cause) {
    return new RecordStoreException(Reason.UNREADABLE, failed(key) + problem, cause);
  }

  private String failed(RecordKey key) {
    return "Reading " + ForeignText.of(codec.named(key)) + " failed: ";
  }

  /**
   * Returns a page of the records of the space.
   *
   * @param after the key after which the page begins; empty for the first page
   * @param limit the requested number of records, at least 1
   */
  public Page<T> page(Optional<RecordKey> after, int limit) {
    RecordStore.Page page = store.scan(codec.space(), after, limit);
    return page(page.records(), page.next());
  }

  /** Decodes records that were already read, and returns them as a page. */
  public Page<T> page(List<StoredRecord> there, Optional<RecordKey> next) {
    List<Seen<T>> readable = new ArrayList<>();
    List<Unreadable> unreadable = new ArrayList<>();
    for (StoredRecord each : there) {
      try {
        readable.add(seen(each));
      } catch (RecordStoreException e) {
        unreadable.add(new Unreadable(each.key(), e));
      }
    }
    return new Page<>(readable, unreadable, next);
  }

  /**
   * Returns a write that replaces a record with this value. The write contains a unique mark, so a
   * second draft with the same value is a different write.
   *
   * @param next the value; empty to remove the record
   * @throws RecordStoreException if the encoded value is too large, or cannot be encrypted
   */
  public RecordWrite draft(Seen<T> before, Optional<T> next) {
    return new RecordWrite(
        before.key(), before.stored(), next.map(value -> encoded(before, value)));
  }

  private StateValue encoded(Seen<T> before, T value) {
    if (!codec.key(value).equals(before.key())) {
      throw new IllegalArgumentException(
          "The value of " + codec.key(value) + " cannot follow the value of " + before.key() + ".");
    }
    byte[] clear = codec.encode(value, UUID.randomUUID(), before.newer());
    Optional<Sealer> sealer = store.sealer();
    if (sealer.isEmpty()) {
      return StateValue.of(clear);
    }
    try {
      return StateValue.ofWrapped(
          SealedBytes.marked(sealer.get().seal(clear, about(before.key()))));
    } catch (SealException e) {
      throw new RecordStoreException(
          Reason.UNAVAILABLE,
          "Writing " + ForeignText.of(codec.named(before.key())) + " failed: " + e.getMessage(),
          e);
    }
  }

  /**
   * Makes several writes atomically. A client library may send a request twice, and the second
   * request then conflicts with the first request. In this case, the writes count as made.
   */
  public static WriteResult write(RecordStore store, List<RecordWrite> writes) {
    WriteResult result = store.write(writes);
    return result instanceof WriteResult.Conflict conflict
        ? made(writes, conflict.now()).<WriteResult>map(WriteResult.Written::new).orElse(result)
        : result;
  }

  /**
   * Returns the records as the writes left them, if the current records prove that the writes were
   * made. The writes are atomic, and each written value has a unique mark. Therefore, a single
   * value that is present proves all writes, even if other writers have changed the other records
   * since. If there are written values, a missing record proves nothing, because another writer may
   * have removed it.
   *
   * @param there the current records
   */
  static Optional<List<StoredRecord>> made(List<RecordWrite> writes, List<StoredRecord> there) {
    List<RecordWrite> values = writes.stream().filter(each -> each.next().isPresent()).toList();
    boolean isMade =
        values.isEmpty()
            ? writes.stream().allMatch(each -> isMade(each, there))
            : values.stream().anyMatch(each -> isMade(each, there));
    return isMade
        ? Optional.of(values.stream().map(each -> left(each, there)).toList())
        : Optional.empty();
  }

  private static boolean isMade(RecordWrite write, List<StoredRecord> there) {
    return write.isMade(find(there, write.key()));
  }

  /**
   * Returns the record as a write left it. If another writer has changed the record since, the
   * version of the write is not known. The lowest possible version is then used, so that the
   * current record counts as newer.
   */
  private static StoredRecord left(RecordWrite write, List<StoredRecord> there) {
    return find(there, write.key())
        .filter(now -> write.isMade(Optional.of(now)))
        .orElseGet(
            () ->
                new StoredRecord(
                    write.key(),
                    Math.max(1, write.seen().map(StoredRecord::version).orElse(0L)),
                    write.next().orElseThrow()));
  }

  /** Returns the record with this key, if the list contains it. */
  static Optional<StoredRecord> find(List<StoredRecord> records, RecordKey key) {
    return records.stream().filter(each -> each.key().equals(key)).findFirst();
  }

  /** Finds a record among the records that a store returned for a write, and decodes it. */
  public Seen<T> among(List<StoredRecord> records, RecordKey key) {
    return seen(key, find(records, key));
  }
}
