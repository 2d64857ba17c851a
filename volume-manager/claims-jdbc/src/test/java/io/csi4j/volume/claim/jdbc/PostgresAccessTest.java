package io.csi4j.volume.claim.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.TestCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL that serves a user without more rights than needed, who shows a certificate. */
@PostgresTest
class PostgresAccessTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final JdbcSettings SETTINGS =
      JdbcSettings.builder().schema("claims").makesTables(false).build();

  @TempDir private Path directory;
  private PostgresServer server;

  /** Does what an administrator does: the tables, and the rights of the user on them. */
  @BeforeEach
  void aServerIsThere() throws IOException {
    server = PostgresServer.begin();
    TestCertificates certificates = new TestCertificates(directory);
    certificates.authority("ca");
    certificates.certificate("server", "server", "subjectAltName=IP:" + server.host() + "\n");
    for (String name : List.of("csi4j_claims", "stranger")) {
      certificates.certificate(name, name, "extendedKeyUsage=clientAuth\n");
      certificates.pkcs8(name);
    }
    server.encrypt(certificates, "csi4j_claims");
    server.sql("CREATE ROLE csi4j_claims LOGIN PASSWORD 'secret'");
    server.sql("CREATE SCHEMA claims");
    server.sql("SET search_path TO claims; " + tables());
    server.sql("GRANT USAGE ON SCHEMA claims TO csi4j_claims");
    server.sql("GRANT SELECT, INSERT, UPDATE ON claims.csi4j_claim_store TO csi4j_claims");
    server.sql(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON claims.csi4j_claim, claims.csi4j_claim_write"
            + " TO csi4j_claims");
  }

  @AfterEach
  void theServerEnds() {
    server.close();
  }

  private static String tables() throws IOException {
    try (InputStream in = PostgresStore.class.getResourceAsStream("tables.sql")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** A pool of the user, whose connections may take long to make. */
  private HikariDataSource pool() {
    HikariConfig config = PostgresServer.config(address("csi4j_claims", "verify-full"));
    config.setConnectionTimeout(LONG.toMillis());
    return new HikariDataSource(config);
  }

  /** The address for the user with the certificate of this name. */
  private String address(String certificate, String mode) {
    return server.address().replace("user=csi4j", "user=csi4j_claims")
        + "&password=secret&sslmode="
        + mode
        + "&sslrootcert="
        + directory.resolve("ca.pem")
        + "&sslcert="
        + directory.resolve(certificate + ".pem")
        + "&sslkey="
        + directory.resolve(certificate + ".pk8");
  }

  @Test
  void aUserWhoReadsAndWritesTheTablesIsEnoughForEachSpace() throws InterruptedException {
    try (HikariDataSource pool = pool();
        RecordStore store = PostgresStore.open(pool, SETTINGS)) {
      for (Space space : Space.values()) {
        RecordKey key = RecordKey.of(space, DB);
        try (Watch watch = store.watch(space)) {
          StoredRecord there =
              ((WriteResult.Written)
                      store.write(
                          new RecordWrite(
                              key,
                              Optional.empty(),
                              Optional.of(StateValue.of(new byte[] {1, 2})))))
                  .now()
                  .get(0);
          assertThat(store.read(key)).contains(there);
          assertThat(store.scan(space, Optional.empty(), 9).records()).containsExactly(there);
          assertThat(watch.next(LONG)).contains(new Change.Written(there));
          assertThat(store.write(new RecordWrite(key, Optional.of(there), Optional.empty())))
              .isEqualTo(new WriteResult.Written(List.of()));
          assertThat(store.read(key)).isEmpty();
        }
      }
      assertThat(
              server.column(
                  "SELECT DISTINCT ssl::text || ' ' || client_dn FROM pg_stat_ssl JOIN"
                      + " pg_stat_activity USING (pid) WHERE usename = 'csi4j_claims'"))
          .containsExactly("true /CN=csi4j_claims");
    }
  }

  @Test
  void aUserWhoReadsTheTablesIsEnoughForALook() {
    server.sql("CREATE ROLE csi4j_reader LOGIN");
    server.sql("GRANT USAGE ON SCHEMA claims TO csi4j_reader");
    server.sql(
        "GRANT SELECT ON claims.csi4j_claim_store, claims.csi4j_claim, claims.csi4j_claim_write"
            + " TO csi4j_reader");
    Map<Space, StoredRecord> written = new EnumMap<>(Space.class);
    try (HikariDataSource pool = pool();
        RecordStore store = PostgresStore.open(pool, SETTINGS)) {
      for (Space space : Space.values()) {
        written.put(space, write(store, space));
      }
    }
    PGSimpleDataSource reader = new PGSimpleDataSource();
    reader.setUrl(server.address().replace("user=csi4j", "user=csi4j_reader"));

    try (RecordStore look = PostgresStore.look(reader, SETTINGS)) {
      written.forEach(
          (space, there) -> {
            assertThat(look.read(there.key())).contains(there);
            assertThat(look.scan(space, Optional.empty(), 9).records()).containsExactly(there);
          });
      assertThat(look.readOnly()).isEmpty();
      RecordStoreException refused =
          catchThrowableOfType(RecordStoreException.class, () -> write(look, Space.CLUSTER));
      assertThat(refused.reason()).isEqualTo(RecordStoreException.Reason.UNAVAILABLE);
      assertThat(refused).hasMessageContaining("42501 'ERROR: permission denied for table");
    }
  }

  /** Writes a record, whether it is there or not. */
  private static StoredRecord write(RecordStore store, Space space) {
    RecordKey key = RecordKey.of(space, DB);
    RecordWrite write =
        new RecordWrite(key, store.read(key), Optional.of(StateValue.of(new byte[] {1, 2})));
    return ((WriteResult.Written) store.write(write)).now().get(0);
  }

  @Test
  void aUserWithoutTheRightToMakeTablesOpensTheStoreWithTheDefaultSettings() {
    try (HikariDataSource pool = pool();
        RecordStore store =
            PostgresStore.open(pool, SETTINGS.toBuilder().makesTables(true).build())) {
      assertThat(store.readOnly()).isEmpty();
    }
  }

  @Test
  void aCertificateOfAnotherNameOrNoEncryptionIsRefused() {
    // PostgreSQL does not say that the name is another one.
    assertThat(refusal("stranger", "verify-full"))
        .isEqualTo(
            "Opening the store failed: the database reports 28P01 'FATAL: password authentication"
                + " failed for user \"csi4j_claims\"'. Correct the user and the password of the"
                + " data source.");
    assertThat(refusal("csi4j_claims", "disable"))
        .contains("the database reports 28000 'FATAL: pg_hba.conf rejects connection for host");
  }

  private String refusal(String certificate, String mode) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(address(certificate, mode));
    return catchThrowableOfType(
            RecordStoreException.class, () -> PostgresStore.open(source, SETTINGS))
        .getMessage();
  }
}
