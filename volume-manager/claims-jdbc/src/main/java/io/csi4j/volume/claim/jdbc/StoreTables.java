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
 * The tables of a store, and what is asked of them, in the SQL of PostgreSQL. Each question is one
 * statement, which the server ends by itself: so a process that stops in the middle of one holds up
 * no other, and an answer is of one moment.
 *
 * <p>A write holds the row of the store until it is committed. So versions are committed in their
 * order, and who has seen one has seen all before it.
 */
final class StoreTables {

  /** Writes that are kept for watches. */
  static final int KEPT = 10_000;

  /** Whether a standby that takes over has all that was written: then the home ends with a star. */
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
   * @param settings name the schema
   */
  StoreTables(JdbcSettings settings) {
    schema = settings.schema().map(name -> "\"" + name.replace("\"", "\"\"") + "\".").orElse("");
    claims = schema + "csi4j_claim";
    writes = schema + "csi4j_claim_write";
    store = schema + "csi4j_claim_store";
    // A commit that is confirmed before it is on the disk would lose records in a crash; one that
    // waits for no standby would lose them when a standby takes over.
    durable =
        "set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'"
            + " OR (current_setting('synchronous_commit') = 'local' AND %s)"
                .formatted(LOSES_NOTHING)
            + " THEN 'on' ELSE current_setting('synchronous_commit') END, true) IS NOT NULL";
    // A copy that was restored is in another cluster, or has other tables; a standby that has
    // taken over, or a cluster that was restored to an earlier moment, has another timeline. The
    // position in the log is asked for in any case: a standby refuses to tell it, and so takes no
    // claim for a store that loses nothing after it has taken over.
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

  /** The statements that make the tables. */
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

  /** Whether the tables are there as they are made now: one value. */
  String areThere() {
    return "SELECT " + hasColumn(writes, "record", " AND NOT attnotnull") + " AND " + hasHome();
  }

  /** Whether the tables are there, as they are or as they were before there were removals. */
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

  /** Lets one process at a time make the tables, until the transaction ends. */
  String turnToCreate() {
    return "SELECT pg_advisory_xact_lock(6004011)";
  }

  /** Makes the mark of a store that has neither a mark nor records. Takes the mark. */
  String mark() {
    return ("INSERT INTO %s (only_one, mark, version, forgotten, home) SELECT 1, ?, 0, 0, %s"
            + " WHERE NOT EXISTS (SELECT FROM %s) AND NOT EXISTS (SELECT FROM %s)"
            + " ON CONFLICT DO NOTHING")
        .formatted(store, home, claims, writes);
  }

  /** Completes the mark of a store that was made when marks did not say where they were made. */
  String complete() {
    return "UPDATE %s SET home = %s WHERE home IS NULL".formatted(store, home);
  }

  /** Makes another mark where there is none, or that of the store that this is a copy of. */
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
   * Notes in the store that a standby that takes over has all that was written, unless one has
   * taken over already: that one may lack some of it. Takes the identity that the store has to
   * have, twice; any if that is null.
   */
  String loseNothing() {
    return "UPDATE %s AS s SET home = s.home || '*' WHERE %s AND NOT %s AND (?::text IS NULL OR %s = ?)"
        .formatted(store, isHere, LOSES_NOTHING, identity);
  }

  /** Whether there are long names in the form of before: one value. */
  String hasFormerNames() {
    return "SELECT EXISTS (SELECT FROM %s WHERE %s)".formatted(claims, isFormer());
  }

  /** Gives long names their form. */
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

  /** Records. Takes their names. */
  String read(int names) {
    return answer(
        "SELECT name, version, record FROM %s WHERE name IN (%s)"
            .formatted(claims, String.join(", ", Collections.nCopies(names, "?"))),
        "name");
  }

  /**
   * Records in the order of their names. Takes the name before the first, the end, and how many.
   */
  String scan() {
    return answer(
        ("SELECT name, version, record FROM %s WHERE name > ? AND name < ?"
                + " ORDER BY name LIMIT ?")
            .formatted(claims),
        "name");
  }

  /**
   * Writes in the order of their versions. Takes the version before the first, the names before the
   * first and the last, and how many. A row beyond the version of the store is none of its writes.
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
   * Rows of the identity of the store, its version, up to where writes are forgotten, where its
   * mark was made if that was elsewhere, whether it loses nothing when a standby takes over, and a
   * name, a version and a record of what was asked for; one row with nothing behind if there is
   * nothing.
   */
  private String answer(String question, String order) {
    return ("SELECT %s, s.version, s.forgotten, CASE WHEN %s THEN NULL ELSE s.home END,"
            + " %s, c.name, c.version, c.record FROM (SELECT 1) AS one LEFT JOIN %s AS s ON true"
            + " LEFT JOIN (%s) AS c ON true ORDER BY c.%s")
        .formatted(identity, isAtHome, LOSES_NOTHING, store, question, order);
  }

  /**
   * Some writes, all or none. Takes the identity of the store, and for each write what it needs: a
   * new record its name and bytes; a changed one its bytes, and the name, the version and the bytes
   * that are expected; a removed one those three, and what the log of writes has for the removal.
   * Gives the version of the last write, if the writes were made. A row that had its version before
   * was beyond the store, and gives way.
   *
   * <p>A single write that is not made changes no row. Of several, some may: then the statement
   * divides by zero, which undoes all of it.
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

  /** Changes nothing. Its commit comes after all that was seen before, on the standbys too. */
  String confirm() {
    return "UPDATE %s AS s SET version = version WHERE %s".formatted(store, durable);
  }

  /** Forgets all writes but the last ones. */
  String forget() {
    return """
        WITH turn AS (UPDATE %s SET forgotten = version - %d WHERE forgotten < version - %d RETURNING forgotten)
        DELETE FROM %s AS w USING turn WHERE w.version <= turn.forgotten"""
        .formatted(store, KEPT, KEPT, writes);
  }
}
