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
    identity =
        "'postgresql-' || (SELECT to_hex(system_identifier) FROM pg_control_system())"
            + (settings.losesNothingOnFailover()
                ? " || left(pg_current_wal_lsn()::text, 0)"
                : " || '-' || left(pg_walfile_name(pg_current_wal_lsn()), 8)")
            + " || '-' || s.tableoid || '-' || s.mark";
  }

  /** The statements that make the tables. */
  String creation() {
    try (InputStream in = ClaimTables.class.getResourceAsStream("tables.sql")) {
      String text =
          new String(
              Objects.requireNonNull(in, "tables.sql").readAllBytes(), StandardCharsets.UTF_8);
      return text.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS " + schema);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the tables are there: one value. */
  String areThere() {
    return "SELECT to_regclass('" + writes.replace("'", "''") + "') IS NOT NULL";
  }

  /** Lets one process at a time make the tables, until the transaction ends. */
  String turnToCreate() {
    return "SELECT pg_advisory_xact_lock(6004011)";
  }

  /** Makes the mark of the store if it has none. Takes the mark. */
  String mark() {
    return ("INSERT INTO %s (only_one, mark, version, forgotten)"
            + " SELECT 1, ?, top, top FROM (SELECT coalesce(max(version), 0) AS top FROM %s) AS t ON CONFLICT DO NOTHING")
        .formatted(store, claims);
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
   * Rows of the identity of the store, its version, up to where writes are forgotten, and a name, a
   * version and a record of what was asked for; one row with nothing behind if there is nothing.
   */
  private String answer(String question, String order) {
    return ("SELECT %s, s.version, s.forgotten, c.name, c.version, c.record"
            + " FROM (SELECT 1) AS one LEFT JOIN %s AS s ON true LEFT JOIN (%s) AS c ON true ORDER BY c.%s")
        .formatted(identity, store, question, order);
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
