package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.store.RecordWrite;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * The tables of a store, and the queries on them, in the SQL of PostgreSQL. Each query is one
 * statement, which the server completes on its own: so a process that stops during a statement does
 * not block others, and all parts of an answer are read at one moment.
 *
 * <p>A write locks the row of the store until it is committed. So versions are committed in their
 * order, and a reader that has seen one has seen all before it.
 */
final class StoreTables {

  /** Number of writes that are kept for watches. */
  static final int KEPT = 10_000;

  /**
   * Whether a standby that takes over has all writes: the column {@code home} then ends with a
   * star.
   */
  private static final String LOSES_NOTHING = "coalesce(s.home LIKE '%*', false)";

  private final String claims;
  private final String writes;
  private final String store;
  private final String identity;
  private final String home;
  private final String isHere;
  private final String isAtHome;
  private final String durable;
  private final String schema;

  /**
   * The tables of a store.
   *
   * @param settings the settings with the schema
   */
  StoreTables(JdbcSettings settings) {
    schema = settings.schema().map(name -> "\"" + name.replace("\"", "\"\"") + "\".").orElse("");
    claims = schema + "csi4j_claim";
    writes = schema + "csi4j_claim_write";
    store = schema + "csi4j_claim_store";
    // A commit that is confirmed before it is on disk would lose records in a crash; one that waits
    // for no standby would lose them when a standby takes over.
    durable =
        "set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'"
            + " OR (current_setting('synchronous_commit') = 'local' AND %s)"
                .formatted(LOSES_NOTHING)
            + " THEN 'on' ELSE current_setting('synchronous_commit') END, true) IS NOT NULL";
    // A restored copy is in another cluster, or has other tables; a standby that has taken over, or
    // a cluster that was restored to an earlier moment, has another timeline. The position in the
    // log is queried in any case: a standby refuses that, and so grants no claim for a store that
    // loses nothing after it has taken over.
    String cluster = "(SELECT to_hex(system_identifier) FROM pg_control_system())";
    String timeline = "left(pg_walfile_name(pg_current_wal_lsn()), 8)";
    String place = cluster + " || '-' || '" + store.replace("'", "''") + "'::regclass::oid";
    identity =
        "'postgresql-' || %s || '-' || CASE WHEN %s THEN left(pg_current_wal_lsn()::text, 0)"
                .formatted(cluster, LOSES_NOTHING)
            + " || split_part(rtrim(s.home, '*'), '-', 3) ELSE %s END".formatted(timeline)
            + " || '-' || s.tableoid || '-' || s.mark";
    String here = place + " || '-' || " + timeline;
    home = here + (settings.losesNothingOnFailover() ? " || '*'" : "");
    isHere = "s.home = " + here;
    isAtHome = "(%s OR (%s AND s.home LIKE %s || '-%%'))".formatted(isHere, LOSES_NOTHING, place);
  }

  /** The statements that create the tables. */
  String creation() {
    try (InputStream in = StoreTables.class.getResourceAsStream("tables.sql")) {
      String text =
          new String(
              Objects.requireNonNull(in, "tables.sql").readAllBytes(), StandardCharsets.UTF_8);
      return text.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS " + schema)
          .replace("ALTER TABLE ", "ALTER TABLE " + schema);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the tables exist in their current form: one value. */
  String areThere() {
    return "SELECT " + hasColumn(writes, "record", " AND NOT attnotnull") + " AND " + hasHome();
  }

  /**
   * Whether the tables exist, in their current form or in the form before removals were supported.
   */
  String takeWrites() {
    return "SELECT "
        + hasColumn(claims, "record", "")
        + " AND "
        + hasColumn(writes, "record", "")
        + " AND "
        + hasHome();
  }

  private String hasHome() {
    return hasColumn(store, "home", "");
  }

  private static String hasColumn(String table, String column, String also) {
    return ("EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('%s')"
            + " AND attname = '%s'%s)")
        .formatted(table.replace("'", "''"), column, also);
  }

  /** Lets one process at a time create the tables, until the transaction ends. */
  String turnToCreate() {
    return "SELECT pg_advisory_xact_lock(6004011)";
  }

  /** Creates the mark of a store that has neither a mark nor records. Parameter: the mark. */
  String mark() {
    return ("INSERT INTO %s (only_one, mark, version, forgotten, home) SELECT 1, ?, 0, 0, %s"
            + " WHERE NOT EXISTS (SELECT FROM %s) AND NOT EXISTS (SELECT FROM %s)"
            + " ON CONFLICT DO NOTHING")
        .formatted(store, home, claims, writes);
  }

  /** Completes the mark of a store that was created when marks did not contain their place. */
  String complete() {
    return "UPDATE %s SET home = %s WHERE home IS NULL".formatted(store, home);
  }

  /**
   * Creates another mark if the store has none, or has the mark of the store that it is a copy of.
   */
  String settle() {
    return """
        INSERT INTO %s AS s (only_one, mark, version, forgotten, home)
        SELECT 1, ?, top + 1, top + 1, %s FROM (SELECT greatest(
          (SELECT max(version) FROM %s), (SELECT max(version) FROM %s), 0) AS top) AS t
        ON CONFLICT (only_one) DO UPDATE SET mark = excluded.mark, home = excluded.home,
          version = greatest(s.version + 1, excluded.version) WHERE NOT (%s)"""
        .formatted(store, home, claims, writes, isAtHome);
  }

  /**
   * Records in the store that a standby that takes over has all writes, unless one has taken over
   * already: that standby may lack some of them. Parameters: the required identity of the store,
   * twice; any if null.
   */
  String loseNothing() {
    return "UPDATE %s AS s SET home = s.home || '*' WHERE %s AND NOT %s AND (?::text IS NULL OR %s = ?)"
        .formatted(store, isHere, LOSES_NOTHING, identity);
  }

  /** Whether there are long names in the former form: one value. */
  String hasFormerNames() {
    return "SELECT EXISTS (SELECT FROM %s WHERE %s)".formatted(claims, isFormer());
  }

  /** Converts long names into their current form. */
  String formNames() {
    return """
        UPDATE %s SET name = substring(name FROM 1 FOR %d) || sha256(name),
          record = sha256(name) || int4send(octet_length(name)) || name || record WHERE %s"""
        .formatted(claims, LongName.FIRST, isFormer());
  }

  private static String isFormer() {
    return ("octet_length(name) > %d AND NOT (octet_length(name) = %d"
            + " AND substring(name FROM %d) = substring(record FROM 1 FOR %d))")
        .formatted(
            LongName.SHORT, LongName.FIRST + LongName.DIGEST, LongName.FIRST + 1, LongName.DIGEST);
  }

  /** Reads records. Parameters: their names. */
  String read(int names) {
    return answer(
        "SELECT name, version, record FROM %s WHERE name IN (%s)"
            .formatted(claims, String.join(", ", Collections.nCopies(names, "?"))),
        "name");
  }

  /**
   * Reads records in the order of their names. Parameters: the name before the first, the end, and
   * the limit.
   */
  String scan() {
    return answer(
        ("SELECT name, version, record FROM %s WHERE name > ? AND name < ?"
                + " ORDER BY name LIMIT ?")
            .formatted(claims),
        "name");
  }

  /**
   * Reads writes in the order of their versions. Parameters: the version before the first, the
   * names before the first and the last, and the limit. A row beyond the version of the store does
   * not count as a write.
   */
  String written() {
    return answer(
        ("SELECT name, version, record FROM %s WHERE version > ?"
                + " AND version <= (SELECT version FROM %s) AND name > ? AND name < ?"
                + " ORDER BY version LIMIT ?")
            .formatted(writes, store),
        "version");
  }

  /**
   * Rows with the identity of the store, its version, the version up to which writes are forgotten,
   * the place of its mark if that differs, whether it loses nothing when a standby takes over, and
   * a name, a version and a record of the result; one row without the latter three if there is no
   * result.
   */
  private String answer(String question, String order) {
    return ("SELECT %s, s.version, s.forgotten, CASE WHEN %s THEN NULL ELSE s.home END,"
            + " %s, c.name, c.version, c.record FROM (SELECT 1) AS one LEFT JOIN %s AS s ON true"
            + " LEFT JOIN (%s) AS c ON true ORDER BY c.%s")
        .formatted(identity, isAtHome, LOSES_NOTHING, store, question, order);
  }

  /**
   * Makes writes, all or none. Parameters: the identity of the store, and the values of each write:
   * for a new record its name and bytes; for a changed one its bytes, and the expected name,
   * version and bytes; for a removed one those three, and the entry in the log of writes for the
   * removal. Returns the version of the last write, if the writes were made. A row that had this
   * version before was beyond the store, and is replaced.
   *
   * <p>A single write whose condition fails changes no row. Of several writes, some may be made:
   * the statement then divides by zero, which rolls back all of them.
   */
  String write(List<RecordWrite> all) {
    int size = all.size();
    StringBuilder changes = new StringBuilder();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      String version = size == 1 ? "turn.version" : "turn.version - " + (size - 1 - i);
      names.add("SELECT name, version, record FROM change" + i);
      changes
          .append("change")
          .append(i)
          .append(" AS (")
          .append(change(all.get(i)).formatted(claims, version))
          .append("),\n");
    }
    String end =
        size == 1
            ? "SELECT version FROM change"
            : "SELECT version FROM turn WHERE"
                + " 1 / (CASE WHEN (SELECT count(*) FROM change) = %d THEN 1 ELSE 0 END) = 1"
                    .formatted(size);
    return """
        WITH turn AS (UPDATE %s AS s SET version = s.version + %d WHERE %s = ? AND %s RETURNING s.version),
        %schange AS (%s),
        told AS (INSERT INTO %s (name, version, record) SELECT name, version, record FROM change
          ON CONFLICT (version) DO UPDATE SET name = excluded.name, record = excluded.record)
        %s"""
        .formatted(
            store,
            size,
            identity,
            durable,
            changes,
            String.join(" UNION ALL ", names),
            writes,
            end);
  }

  private static String change(RecordWrite write) {
    if (write.seen().isEmpty()) {
      return "INSERT INTO %1$s (name, version, record) SELECT ?, %2$s, ? FROM turn"
          + " ON CONFLICT (name) DO NOTHING RETURNING name, version, record";
    }
    String same = " WHERE c.name = ? AND c.version = ? AND c.record = ? RETURNING c.name, ";
    return write.next().isPresent()
        ? "UPDATE %1$s AS c SET version = %2$s, record = ? FROM turn" + same + "c.version, c.record"
        : "DELETE FROM %1$s AS c USING turn" + same + "%2$s AS version, ?::bytea AS record";
  }

  /** Changes nothing. Its commit follows all writes that were read before, on the standbys too. */
  String confirm() {
    return "UPDATE %s AS s SET version = version WHERE %s".formatted(store, durable);
  }

  /** Deletes all logged writes except the last ones. */
  String forget() {
    return """
        WITH turn AS (UPDATE %s SET forgotten = version - %d WHERE forgotten < version - %d RETURNING forgotten)
        DELETE FROM %s AS w USING turn WHERE w.version <= turn.forgotten"""
        .formatted(store, KEPT, KEPT, writes);
  }
}
