package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.claim.spi.StoreIdentity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer of a database, all of one moment.
 *
 * @param identity which store it is
 * @param version how often anything was written
 * @param forgotten up to which version writes are no longer told
 * @param rows the claims or writes that were asked for
 */
record ClaimRows(StoreIdentity identity, long version, long forgotten, List<Row> rows) {

  /** A claim as it is kept, whether it can be read or not. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Row(byte[] name, long version, byte[] record) {}

  /** Takes the rows of a question of {@link ClaimTables}. */
  static ClaimRows of(ResultSet result) throws SQLException {
    String identity = null;
    long version = 0;
    long forgotten = 0;
    List<Row> rows = new ArrayList<>();
    while (result.next()) {
      identity = result.getString(1);
      version = result.getLong(2);
      forgotten = result.getLong(3);
      byte[] name = result.getBytes(4);
      if (name != null) {
        rows.add(new Row(name, result.getLong(5), result.getBytes(6)));
      }
    }
    return new ClaimRows(
        new StoreIdentity(identity == null ? "postgresql, without the mark of a store" : identity),
        version,
        forgotten,
        rows);
  }
}
