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
 * The SQL statements for the tables of a store in PostgreSQL. Each request is a single statement in
 * its own transaction. Therefore, a process that stops during a request does not block other
 * processes, and all parts of an answer are consistent.
 *
 * <p>A write locks the row of the store until the write is committed. Therefore, writes are
 * committed in the order of their versions. A reader that sees a version also sees all earlier
 * versions.
 */
final class StoreTables {

  /** Number of writes that the log keeps for watches. */
  static final int KEPT = 10_000;

  /**
   * The SQL condition for a store whose standby has all writes when it takes over. In such a store,
   * the column {@code home} ends with a star.
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
   * Creates the statements for the tables of a store.
   *
   * @param settings the settings with the schema
   */
  StoreTables(JdbcSettings settings) {
    schema = settings.schema().map(name -> "\"" + name.replace("\"", "\"\"") + "\".").orElse("");
    claims = schema + "csi4j_claim";
    writes = schema + "csi4j_claim_write";
    store = schema + "csi4j_claim_store";
    // If a commit is confirmed before it is on disk, a crash can lose its records. If a commit does
    // not wait for a standby, its records can be lost when a standby takes over.
    durable =
        "set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'"
            + " OR (current_setting('synchronous_commit') = 'local' AND %s)"
                .formatted(LOSES_NOTHING)
            + " THEN 'on' ELSE current_setting('synchronous_commit') END, true) IS NOT NULL";
    // A restored copy is in another cluster or has other tables. A standby that has taken over has
    // another timeline, and so has a cluster that was restored to an earlier time. The statement
    // queries the position in the log even if the timeline does not matter, because a standby
    // rejects this query. Therefore, no claim is granted by a standby that has not taken over.
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

  /** Returns the statements that create the tables. */
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

  /** Returns a query with one value: whether the tables exist in their current form. */
  String areThere() {
    return "SELECT " + hasColumn(writes, "record", " AND NOT attnotnull") + " AND " + hasHome();
  }

  /**
   * Returns a query with one value: whether the tables exist in their current form, or in the older
   * form that does not support removals.
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

  /**
   * Returns a statement that lets only one process at a time create the tables, until the
   * transaction ends.
   */
  String turnToCreate() {
    return "SELECT pg_advisory_xact_lock(6004011)";
  }

  /**
   * Returns a statement that creates the mark of a store without mark and records. Parameter: the
   * mark.
   */
  String mark() {
    return ("INSERT INTO %s (only_one, mark, version, forgotten, home) SELECT 1, ?, 0, 0, %s"
            + " WHERE NOT EXISTS (SELECT FROM %s) AND NOT EXISTS (SELECT FROM %s)"
            + " ON CONFLICT DO NOTHING")
        .formatted(store, home, claims, writes);
  }

  /**
   * Returns a statement that adds the place to the mark of an old csi4j version, whose marks had no
   * place.
   */
  String complete() {
    return "UPDATE %s SET home = %s WHERE home IS NULL".formatted(store, home);
  }

  /**
   * Returns a statement that creates a new mark if the store has no mark or is a restored copy.
   * Parameter: the mark.
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
   * Returns a statement that records a guarantee in the store: a standby that takes over has all
   * writes. It changes nothing if a standby has already taken over, because that standby may lack
   * some writes. Parameters: twice the identity that the store must have, or null for any identity.
   */
  String loseNothing() {
    return "UPDATE %s AS s SET home = s.home || '*' WHERE %s AND NOT %s AND (?::text IS NULL OR %s = ?)"
        .formatted(store, isHere, LOSES_NOTHING, identity);
  }

  /** Returns a query with one value: whether the table contains long names in their former form. */
  String hasFormerNames() {
    return "SELECT EXISTS (SELECT FROM %s WHERE %s)".formatted(claims, isFormer());
  }

  /** Returns a statement that converts long names into their current form. */
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

  /** Returns a query for records. Parameters: the names of the records. */
  String read(int names) {
    return answer(
        "SELECT name, version, record FROM %s WHERE name IN (%s)"
            .formatted(claims, String.join(", ", Collections.nCopies(names, "?"))),
        "name");
  }

  /**
   * Returns a query for records in the order of their names. Parameters: the name after which the
   * result begins, the name before which it ends, and the limit.
   */
  String scan() {
    return answer(
        ("SELECT name, version, record FROM %s WHERE name > ? AND name < ?"
                + " ORDER BY name LIMIT ?")
            .formatted(claims),
        "name");
  }

  /**
   * Returns a query for writes in the order of their versions. Parameters: the version after which
   * the result begins, the names between which it must be, and the limit. A row with a higher
   * version than the store does not count as a write.
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
   * Returns a query that adds the properties of the store to each row of a result: the identity of
   * the store, its version, the version up to which the log has no writes, the place of its mark if
   * it differs from the current place, and whether a standby that takes over has all writes. The
   * row of the result follows: a name, a version and a record. If the result is empty, there is one
   * row in which these three are null.
   */
  private String answer(String question, String order) {
    return ("SELECT %s, s.version, s.forgotten, CASE WHEN %s THEN NULL ELSE s.home END,"
            + " %s, c.name, c.version, c.record FROM (SELECT 1) AS one LEFT JOIN %s AS s ON true"
            + " LEFT JOIN (%s) AS c ON true ORDER BY c.%s")
        .formatted(identity, isAtHome, LOSES_NOTHING, store, question, order);
  }

  /**
   * Returns a statement that makes several writes atomically. The first parameter is the identity
   * of the store. The other parameters are the values of each write. For a new record, these are
   * its name and bytes. For a changed record, these are the new bytes, and the expected name,
   * version and bytes. For a removed record, these are the expected name, version and bytes, and
   * the entry for the log of writes. If the writes were made, the result is the version of the last
   * write. If the log already has a row with this version, which is higher than the version of the
   * store, the row is replaced.
   *
   * <p>A single write whose condition fails changes no row. If only some of several writes succeed,
   * the statement divides by zero, which rolls back all of them.
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

  /**
   * Returns a statement that changes no values. When its commit is confirmed, the standbys also
   * have all writes that were committed before.
   */
  String confirm() {
    return "UPDATE %s AS s SET version = version WHERE %s".formatted(store, durable);
  }

  /** Returns a statement that deletes all entries of the log except the last entries. */
  String forget() {
    return """
        WITH turn AS (UPDATE %s SET forgotten = version - %d WHERE forgotten < version - %d RETURNING forgotten)
        DELETE FROM %s AS w USING turn WHERE w.version <= turn.forgotten"""
        .formatted(store, KEPT, KEPT, writes);
  }
}
