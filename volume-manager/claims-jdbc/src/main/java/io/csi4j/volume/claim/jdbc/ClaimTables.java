package io.csi4j.volume.claim.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The tables of a store, and what is asked of them, in the SQL of PostgreSQL. Each question is one
 * statement, which the server ends by itself: so a process that stops in the middle of one holds up
 * no other, and an answer is of one moment.
 *
 * <p>A write holds the row of the store until it is committed. So versions are committed in their
 * order, and who has seen one has seen all before it.
 */
final class ClaimTables {

  /** Writes that are kept for watches. */
  static final int KEPT = 10_000;

  private final String claims;
  private final String writes;
  private final String store;
  private final String identity;
  private final String home;
  private final String isHome;
  private final String durable;
  private final String schema;

  /**
   * The tables of a store.
   *
   * @param settings name the schema
   */
  ClaimTables(JdbcSettings settings) {
    schema = settings.schema().map(name -> "\"" + name.replace("\"", "\"\"") + "\".").orElse("");
    claims = schema + "csi4j_claim";
    writes = schema + "csi4j_claim_write";
    store = schema + "csi4j_claim_store";
    // A commit that is confirmed before it is on the disk would lose claims in a crash; one that
    // waits for no standby would lose them when a standby takes over.
    durable =
        "set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ("
            + (settings.losesNothingOnFailover() ? "'off', 'local'" : "'off'")
            + ") THEN 'on' ELSE current_setting('synchronous_commit') END, true) IS NOT NULL";
    // A copy that was restored is in another cluster, or has other tables; a standby that has
    // taken over, or a cluster that was restored to an earlier moment, has another timeline. The
    // position in the log is asked for in any case: a standby refuses to tell it, and so takes no
    // claim for a store that trusts it after it has taken over.
    String cluster = "(SELECT to_hex(system_identifier) FROM pg_control_system())";
    String timeline = "left(pg_walfile_name(pg_current_wal_lsn()), 8)";
    String table = "'" + store.replace("'", "''") + "'::regclass::oid";
    identity =
        "'postgresql-' || "
            + cluster
            + (settings.losesNothingOnFailover()
                ? " || left(pg_current_wal_lsn()::text, 0)"
                : " || '-' || " + timeline)
            + " || '-' || s.tableoid || '-' || s.mark";
    home = cluster + " || '-' || " + table + " || '-' || " + timeline;
    isHome =
        settings.losesNothingOnFailover()
            ? "s.home LIKE " + cluster + " || '-' || " + table + " || '-%'"
            : "s.home = " + home;
  }

  /** The statements that make the tables. */
  String creation() {
    try (InputStream in = ClaimTables.class.getResourceAsStream("tables.sql")) {
      String text =
          new String(
              Objects.requireNonNull(in, "tables.sql").readAllBytes(), StandardCharsets.UTF_8);
      return text.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS " + schema)
          .replace("ALTER TABLE ", "ALTER TABLE " + schema);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the tables are there with all their columns: one value. */
  String areThere() {
    return ("SELECT to_regclass('%s') IS NOT NULL AND EXISTS (SELECT FROM pg_attribute"
            + " WHERE attrelid = to_regclass('%s') AND attname = 'home')")
        .formatted(writes.replace("'", "''"), store.replace("'", "''"));
  }

  /** Lets one process at a time make the tables, until the transaction ends. */
  String turnToCreate() {
    return "SELECT pg_advisory_xact_lock(6004011)";
  }

  /** Makes the mark of a store that has neither a mark nor claims. Takes the mark. */
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
        .formatted(store, home, claims, writes, isHome);
  }

  /** The claim of a volume. Takes its name. */
  String read() {
    return answer("SELECT name, version, record FROM %s WHERE name = ?".formatted(claims), "name");
  }

  /** Claims in the order of their names. Takes the name before the first, and how many. */
  String scan() {
    return answer(
        "SELECT name, version, record FROM %s WHERE name > ? ORDER BY name LIMIT ?"
            .formatted(claims),
        "name");
  }

  /**
   * Writes in the order of their versions. Takes the version before the first, and how many. A row
   * beyond the version of the store is none of its writes.
   */
  String written() {
    return answer(
        ("SELECT name, version, record FROM %s WHERE version > ?"
                + " AND version <= (SELECT version FROM %s) ORDER BY version LIMIT ?")
            .formatted(writes, store),
        "version");
  }

  /**
   * Rows of the identity of the store, its version, up to where writes are forgotten, where its
   * mark was made if that was elsewhere, and a name, a version and a record of what was asked for;
   * one row with nothing behind if there is nothing.
   */
  private String answer(String question, String order) {
    return ("SELECT %s, s.version, s.forgotten, CASE WHEN %s THEN NULL ELSE s.home END,"
            + " c.name, c.version, c.record FROM (SELECT 1) AS one LEFT JOIN %s AS s ON true"
            + " LEFT JOIN (%s) AS c ON true ORDER BY c.%s")
        .formatted(identity, isHome, store, question, order);
  }

  /** The first write of a claim. Takes the identity of the store, a name and a record. */
  String insert() {
    return write(
        ("INSERT INTO %s (name, version, record) SELECT ?, version, ? FROM turn"
                + " ON CONFLICT (name) DO NOTHING RETURNING name, version, record")
            .formatted(claims));
  }

  /**
   * A further write of a claim. Takes the identity of the store, a record, a name and the version
   * that is expected.
   */
  String update() {
    return write(
        ("UPDATE %s AS c SET version = turn.version, record = ? FROM turn"
                + " WHERE c.name = ? AND c.version = ? RETURNING c.name, c.version, c.record")
            .formatted(claims));
  }

  /**
   * Gives the version of the write, if it was made. A row that had its version before was beyond
   * the store, and gives way.
   */
  private String write(String change) {
    return """
        WITH turn AS (UPDATE %s AS s SET version = s.version + 1 WHERE %s = ? AND %s RETURNING s.version),
        change AS (%s),
        told AS (INSERT INTO %s (name, version, record) SELECT name, version, record FROM change
          ON CONFLICT (version) DO UPDATE SET name = excluded.name, record = excluded.record)
        SELECT version FROM change"""
        .formatted(store, identity, durable, change, writes);
  }

  /** Changes nothing. Its commit comes after all that was seen before, on the standbys too. */
  String confirm() {
    return "UPDATE %s SET version = version WHERE %s".formatted(store, durable);
  }

  /** Forgets all writes but the last ones. */
  String forget() {
    return """
        WITH turn AS (UPDATE %s SET forgotten = version - %d WHERE forgotten < version - %d RETURNING forgotten)
        DELETE FROM %s AS w USING turn WHERE w.version <= turn.forgotten"""
        .formatted(store, KEPT, KEPT, writes);
  }
}
