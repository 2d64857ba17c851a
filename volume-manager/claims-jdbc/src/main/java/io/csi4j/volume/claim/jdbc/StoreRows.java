package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.PolledWatches;
import io.csi4j.volume.store.shared.RecordName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of the database to a query. All parts were read in the same statement.
 *
 * @param identity the identity of the store
 * @param problem why the store may have lost records; empty if it shows no sign of that
 * @param losesNothing whether a standby that takes over has all writes
 * @param version the number of the last write to the store
 * @param forgotten the version up to which the log no longer contains writes
 * @param rows the requested records or writes, depending on the query
 */
record StoreRows(
    StoreIdentity identity,
    Optional<ReasonText> problem,
    boolean losesNothing,
    long version,
    long forgotten,
    List<Row> rows) {

  /** A stored record, or the removal of a record. A removal has no bytes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Row(byte[] name, long version, byte @Nullable [] record) {

    RecordKey key() {
      return RowName.key(name);
    }

    /** Returns the record in this row. */
    StoredRecord stored() {
      return StoredRecord.of(key(), version, Objects.requireNonNull(record));
    }

    /** Returns this row with a name that does not contain the space. */
    RecordName.Row found() {
      return new RecordName.Row(RowName.name(name), version, Objects.requireNonNull(record));
    }

    /** Returns the change that this row of the log describes. */
    Change change() {
      return record == null ? new Change.Removed(key(), version) : new Change.Written(stored());
    }
  }

  /** Returns the rows as the writes that a query with this limit has found. */
  PolledWatches.Writes writes(int limit) {
    return new PolledWatches.Writes(
        identity,
        version,
        forgotten,
        rows.size() < limit ? version : rows.get(limit - 1).version(),
        rows.stream().map(Row::change).toList());
  }

  /** Reads the result of a query of {@link StoreTables}. */
  static StoreRows of(ResultSet result) throws SQLException {
    String identity = null;
    String elsewhere = null;
    boolean losesNothing = false;
    long version = 0;
    long forgotten = 0;
    List<Row> rows = new ArrayList<>();
    while (result.next()) {
      identity = result.getString(1);
      version = result.getLong(2);
      forgotten = result.getLong(3);
      elsewhere = result.getString(4);
      losesNothing = result.getBoolean(5);
      byte[] name = result.getBytes(6);
      if (name != null) {
        rows.add(LongName.row(name, result.getLong(7), result.getBytes(8)));
      }
    }
    return new StoreRows(
        new StoreIdentity(identity == null ? "postgresql, without the mark of a store" : identity),
        problem(identity, elsewhere),
        losesNothing,
        version,
        forgotten,
        rows);
  }

  private static Optional<ReasonText> problem(
      @Nullable String identity, @Nullable String elsewhere) {
    if (identity == null) {
      return Optional.of(new ReasonText("it has records but no mark, like a restored older copy"));
    }
    return Optional.ofNullable(elsewhere)
        .map(
            home ->
                new ReasonText(
                    "it is store '"
                        + identity
                        + "', but its mark was created in '"
                        + home
                        + "' (cluster, table and timeline), as in a restored copy or a"
                        + " standby that took over"));
  }
}
