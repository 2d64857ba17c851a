package io.csi4j.conformance.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;
import java.util.Optional;

/** The state of a key in the store: its record, or no record. */
record There(RecordKey key, Optional<StoredRecord> record) {

  static There of(StoredRecord record) {
    return new There(record.key(), Optional.of(record));
  }

  static There never(RecordKey key) {
    return new There(key, Optional.empty());
  }

  /** Returns the state of a key according to the records in an answer of the store. */
  static There among(List<StoredRecord> records, RecordKey key) {
    return new There(key, records.stream().filter(each -> each.key().equals(key)).findFirst());
  }

  static StateValue value(String text) {
    return StateValue.of(text.getBytes(UTF_8));
  }

  /** Returns the version of the record; 0 if there is no record. */
  long version() {
    return record.map(StoredRecord::version).orElse(0L);
  }

  /** Returns the text of the record; empty if there is no record. */
  String text() {
    return record.map(it -> new String(it.value().bytes(), UTF_8)).orElse("");
  }

  /** Returns a write that expects this state and stores {@code text}. */
  RecordWrite next(String text) {
    return new RecordWrite(key, record, Optional.of(value(text)));
  }

  /** Returns a removal that expects this state. */
  RecordWrite removal() {
    return new RecordWrite(key, record, Optional.empty());
  }

  /** Returns the same record with another version. */
  There at(long version) {
    StoredRecord it = record.orElseThrow();
    return of(new StoredRecord(key, version, it.value()));
  }
}
