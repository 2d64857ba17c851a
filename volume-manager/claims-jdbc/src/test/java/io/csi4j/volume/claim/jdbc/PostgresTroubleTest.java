package io.csi4j.volume.claim.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that is killed, stopped, restored and replaced under an open store. */
@Tag("campaign")
@PostgresTest
class PostgresTroubleTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final RecordKey KEY = ClaimCodec.key(DB);
  private static final JdbcSettings SETTINGS =
      JdbcSettings.builder()
          .deadline(Duration.ofSeconds(1))
          .watchInterval(Duration.ofMillis(10))
          .build();

  private final PostgresServer server = PostgresServer.begin();
  private final HikariDataSource pool = server.pool();

  @AfterEach
  void stopIt() {
    pool.close();
    server.close();
  }

  private static StoredRecord write(RecordStore store) {
    return StoredClaims.in(store).write(Claim.none(DB)).stored().orElseThrow();
  }

  /** Tries to write bytes over what was seen. */
  private static WriteResult attempt(RecordStore store, StoredRecord seen, StateValue next) {
    return store.write(new RecordWrite(KEY, Optional.of(seen), Optional.of(next)));
  }

  /** Connections of the pool that broke are found out one by one. */
  private static StoredRecord readAtLast(RecordStore store) {
    long begun = System.nanoTime();
    while (true) {
      try {
        return store.read(KEY).orElseThrow();
      } catch (RecordStoreException notYet) {
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(60));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  /** Asks until the connections of the pool that broke are found out. */
  private static String refusalOfAStandby(RecordStore store) {
    for (int tries = 0; tries < 500; tries++) {
      RecordStoreException thrown =
          catchThrowableOfType(RecordStoreException.class, () -> store.read(KEY));
      assertThat(thrown).as("the standby answered").isNotNull();
      if (thrown.getMessage().contains("55000")) {
        return thrown.getMessage();
      }
    }
    return "never refused as a standby";
  }

  @Test
  void aServerThatStopsLeavesAWriteUnknownWithinTheDeadlineAndIsUsedAgainAfterwards()
      throws Exception {
    try (RecordStore store = PostgresStore.open(pool, SETTINGS)) {
      StoredRecord before = write(store);
      StateValue lost = StateValue.of(new byte[] {7});
      server.pause();
      long begun = System.nanoTime();
      WriteResult result = attempt(store, before, lost);
      long took = System.nanoTime() - begun;
      server.resume();

      assertThat(result).isInstanceOf(WriteResult.Unknown.class);
      assertThat(took).isLessThan(TimeUnit.SECONDS.toNanos(5));
      StoredRecord there = readAtLast(store);
      if (!there.value().equals(lost)) {
        assertThat(there).isEqualTo(before);
      }
    }
  }

  @Test
  void aServerThatIsKilledIsUsedAgainAndAWatchGoesOn() throws Exception {
    try (RecordStore store = PostgresStore.open(pool, SETTINGS);
        Watch watch = store.watch(Space.CLAIMS)) {
      StoreIdentity identity = store.identity();
      StoredRecord before = write(store);
      assertThat(watch.next(Duration.ofSeconds(20))).contains(new Change.Written(before));
      server.kill();

      RecordStoreException refusal =
          catchThrowableOfType(RecordStoreException.class, () -> store.read(KEY));
      assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
      assertThat(refusal)
          .hasMessageStartingWith("Reading CLAIMS/default/db failed: the database reports ")
          .hasMessageEndingWith(". Check that the database runs, and that this host can reach it.");

      server.start();
      assertThat(readAtLast(store)).isEqualTo(before);
      assertThat(store.identity()).isEqualTo(identity);
      assertThat(store.uncertainty(KEY)).isEmpty();
      StoredRecord after = write(store);
      assertThat(watch.next(Duration.ofSeconds(20))).contains(new Change.Written(after));
    }
  }

  @Test
  void aDirectoryThatWasPutBackIsFoundOutByWhoSawMore() {
    Path backup = server.data().resolveSibling("backup");
    try (RecordStore store = PostgresStore.open(pool, SETTINGS)) {
      StoredRecord first = write(store);
      server.around(() -> server.copy(server.data(), backup));
      readAtLast(store);
      StoredRecord second = write(store);
      Path lost = server.data().resolveSibling("lost");
      server.around(
          () -> {
            server.copy(server.data(), lost);
            server.replaceData(backup);
          });

      assertThat(readAtLast(store)).isEqualTo(first);
      assertThat(store.uncertainty(KEY).orElseThrow().text())
          .isEqualTo(
              "the database is at version "
                  + first.version()
                  + ", and was at "
                  + second.version()
                  + " before: an older copy of it was restored");
    }
  }

  @Test
  void aStandbyAnswersNothingAndAfterItTookOverItIsAnotherStoreUnlessItLosesNothing() {
    server.sql("CREATE SCHEMA synchronous");
    JdbcSettings other = SETTINGS.toBuilder().schema("synchronous").build();
    JdbcSettings synchronous = other.toBuilder().losesNothingOnFailover(true).build();
    try (RecordStore store = PostgresStore.open(pool, SETTINGS);
        RecordStore trusting = PostgresStore.open(pool, synchronous)) {
      StoreIdentity before = store.identity();
      StoreIdentity trusted = trusting.identity();
      StoredRecord first = write(store);
      StoredRecord firstOfTrusted = write(trusting);
      server.around(() -> server.becomeStandby());

      for (RecordStore asked : List.of(store, trusting)) {
        assertThat(refusalOfAStandby(asked))
            .isEqualTo(
                "Reading CLAIMS/default/db failed: the database reports 55000 'ERROR: recovery is"
                    + " in progress'. Check that the data source connects to the primary, not to a"
                    + " standby.");
        assertThat(asked.uncertainty(KEY)).isEmpty();
      }

      server.sql("SELECT pg_promote()");
      assertThat(readAtLast(store)).isEqualTo(first);
      assertThat(store.identity()).isNotEqualTo(before);
      assertThat(attempt(store, first, StateValue.of(new byte[] {7})))
          .isEqualTo(new WriteResult.Conflict(List.of(first)));
      assertThat(readAtLast(trusting)).isEqualTo(firstOfTrusted);
      assertThat(trusting.identity()).isEqualTo(trusted);
      assertThat(trusting.uncertainty(KEY)).isEmpty();
      assertThat(attempt(trusting, firstOfTrusted, StateValue.of(new byte[] {7})))
          .isInstanceOf(WriteResult.Written.class);
    }
    try (RecordStore trusting = PostgresStore.open(pool, synchronous);
        RecordStore looking = PostgresStore.look(pool, other);
        PostgresStore store = PostgresStore.open(pool, SETTINGS)) {
      assertThat(trusting.readOnly()).isEmpty();
      assertThat(looking.readOnly()).isEmpty();
      assertThat(looking.identity()).isEqualTo(trusting.identity());
      assertThat(store.readOnly().orElseThrow().text())
          .startsWith("it is store '" + store.identity() + "', but its mark was created in '");
      JdbcSettings late = SETTINGS.toBuilder().losesNothingOnFailover(true).build();
      try (RecordStore declared = PostgresStore.open(pool, late)) {
        assertThat(declared.readOnly()).as("the standby may have lost something").isPresent();
        assertThat(store.read(KEY)).isPresent();
        assertThat(store.readOnly()).isPresent();
      }
      store.settle();
      write(store);
    }
  }
}
