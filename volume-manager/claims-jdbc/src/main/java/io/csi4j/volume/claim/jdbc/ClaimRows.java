package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.model.ReasonText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a database, all of one moment.
 *
 * @param identity which store it is
 * @param problem why the store may have lost claims
 * @param version how often anything was written
 * @param forgotten up to which version writes are no longer told
 * @param rows the claims or writes that were asked for
 */
record ClaimRows(
    StoreIdentity identity,
    Optional<ReasonText> problem,
    long version,
    long forgotten,
    List<Row> rows) {

  /** A claim as it is kept, whether it can be read or not. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Row(byte[] name, long version, byte[] record) {}

  /** Takes the rows of a question of {@link ClaimTables}. */
  static ClaimRows of(ResultSet result) throws SQLException {
    String identity = null;
    String elsewhere = null;
    long version = 0;
    long forgotten = 0;
    List<Row> rows = new ArrayList<>();
    while (result.next()) {
      identity = result.getString(1);
      version = result.getLong(2);
      forgotten = result.getLong(3);
      elsewhere = result.getString(4);
      byte[] name = result.getBytes(5);
      if (name != null) {
        rows.add(new Row(name, result.getLong(6), result.getBytes(7)));
      }
    }
    return new ClaimRows(
        new StoreIdentity(identity == null ? "postgresql, without the mark of a store" : identity),
        problem(identity, elsewhere),
        version,
        forgotten,
        rows);
  }

  private static Optional<ReasonText> problem(
      @Nullable String identity, @Nullable String elsewhere) {
    if (identity == null) {
      return Optional.of(
          new ReasonText("it has claims and no mark, as an older copy that was restored"));
    }
    return Optional.ofNullable(elsewhere)
        .map(
            home ->
                new ReasonText(
                    "it is store '"
                        + identity
                        + "', and its mark was made in '"
                        + home
                        + "' (cluster, table and timeline), as in a copy that was restored or a"
                        + " standby that took over"));
  }
}
