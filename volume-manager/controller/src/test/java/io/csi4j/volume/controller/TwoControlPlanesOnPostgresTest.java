package io.csi4j.volume.controller;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.volume.claim.jdbc.JdbcSettings;
import io.csi4j.volume.claim.jdbc.PostgresServer;
import io.csi4j.volume.claim.jdbc.PostgresStore;
import io.csi4j.volume.claim.jdbc.PostgresTest;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The same with a pool of connections to a PostgreSQL for each control plane. */
@PostgresTest
@Tag("campaign")
class TwoControlPlanesOnPostgresTest extends TwoControlPlanesTest {

  /** The server is never stopped: only a busy machine makes it slow. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static PostgresServer postgres;

  @BeforeAll
  static void aPostgresIsThere() {
    postgres = PostgresServer.begin();
  }

  @AfterAll
  static void thePostgresEnds() {
    postgres.close();
  }

  @Override
  RecordStore client(String ofTest) {
    String schema = "t" + ofTest.replace("-", "");
    postgres.sql("CREATE SCHEMA IF NOT EXISTS " + schema);
    HikariDataSource pool = postgres.pool();
    pool.setConnectionTimeout(PATIENCE.toMillis());
    return new PassingStore(
        PostgresStore.open(
            pool, JdbcSettings.builder().schema(schema).deadline(PATIENCE).build())) {
      @Override
      public void close() {
        super.close();
        pool.close();
      }
    };
  }
}
