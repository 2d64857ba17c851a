package io.csi4j.benchmarks.scale;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/**
 * Records as rows of a table in PostgreSQL. The rows are independent, and each is written
 * separately.
 */
final class BarePostgres implements BareRecords {

  private final DataSource pool;

  BarePostgres(DataSource pool) throws SQLException {
    this.pool = pool;
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS bare (name bytea PRIMARY KEY, version bigint NOT NULL, record"
              + " bytea NOT NULL)");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void write(String key, byte[] value) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement write =
            connection.prepareStatement(
                "INSERT INTO bare (name, version, record) VALUES (?, 1, ?) ON CONFLICT DO"
                    + " NOTHING")) {
      write.setBytes(1, bytes(key));
      write.setBytes(2, value);
      if (write.executeUpdate() != 1) {
        throw new IllegalStateException("The row is there already.");
      }
    }
  }

  @Override
  public void fill(List<String> keys, byte[] value) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement write =
            connection.prepareStatement(
                "INSERT INTO bare (name, version, record) VALUES (?, 1, ?)")) {
      connection.setAutoCommit(false);
      for (String key : keys) {
        write.setBytes(1, bytes(key));
        write.setBytes(2, value);
        write.addBatch();
      }
      var unused = write.executeBatch();
      connection.commit();
    }
  }

  /** The last name of a page, and its size. */
  private static final class Read {
    private final byte[] last;
    private final int rows;
    private final long size;

    Read(byte[] last, int rows, long size) {
      this.last = last;
      this.rows = rows;
      this.size = size;
    }
  }

  private Read read(byte[] after, int limit) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement read =
            connection.prepareStatement(
                "SELECT name, version, record FROM bare WHERE name > ? ORDER BY name LIMIT ?")) {
      read.setBytes(1, after);
      read.setInt(2, limit);
      byte[] last = after;
      int rows = 0;
      long size = 0;
      try (ResultSet result = read.executeQuery()) {
        while (result.next()) {
          last = result.getBytes(1);
          rows++;
          size += result.getBytes(3).length;
        }
      }
      return new Read(last, rows, size);
    }
  }

  @Override
  public long page(String after, int limit) throws SQLException {
    return read(bytes(after), limit).size;
  }

  @Override
  public long all(int pageSize) throws SQLException {
    long size = 0;
    byte[] after = new byte[0];
    while (true) {
      Read page = read(after, pageSize);
      size += page.size;
      if (page.rows < pageSize) {
        return size;
      }
      after = page.last;
    }
  }

  @Override
  public void close() {}
}
