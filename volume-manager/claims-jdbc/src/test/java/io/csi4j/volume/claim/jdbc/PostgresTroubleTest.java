package io.csi4j.volume.claim.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.VolumeKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
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

  private static WriteToken token() {
    return new WriteToken(UUID.randomUUID());
  }

  private static Versioned write(ClaimStore store, ClaimVersion expected) {
    return ((WriteResult.Written) store.compareAndSet(expected, Claim.none(DB), token())).now();
  }

  /** Connections of the pool that broke are found out one by one. */
  private static Versioned readAtLast(ClaimStore store) {
    long begun = System.nanoTime();
    while (true) {
      try {
        return store.read(DB);
      } catch (RecordStoreException notYet) {
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(60));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  /** Asks until the connections of the pool that broke are found out. */
  private static String refusalOfAStandby(ClaimStore store) {
    for (int tries = 0; tries < 500; tries++) {
      RecordStoreException thrown =
          catchThrowableOfType(RecordStoreException.class, () -> store.read(DB));
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
    try (ClaimStore store = JdbcClaimStore.open(pool, SETTINGS)) {
      Versioned before = write(store, ClaimVersion.NEVER);
      WriteToken lost = token();
      server.pause();
      long begun = System.nanoTime();
      WriteResult result = store.compareAndSet(before.version(), Claim.none(DB), lost);
      long took = System.nanoTime() - begun;
      server.resume();

      assertThat(result).isInstanceOf(WriteResult.Unknown.class);
      assertThat(took).isLessThan(TimeUnit.SECONDS.toNanos(5));
      Versioned there = readAtLast(store);
      if (!there.by().orElseThrow().equals(lost)) {
        assertThat(there).isEqualTo(before);
      }
    }
  }

  @Test
  void aServerThatIsKilledIsUsedAgainAndAWatchGoesOn() throws Exception {
    try (ClaimStore store = JdbcClaimStore.open(pool, SETTINGS);
        ClaimWatch watch = store.watch()) {
      StoreIdentity identity = store.identity();
      Versioned before = write(store, ClaimVersion.NEVER);
      assertThat(watch.next(Duration.ofSeconds(20))).contains(new Change.Written(before));
      server.kill();

      RecordStoreException refusal =
          catchThrowableOfType(RecordStoreException.class, () -> store.read(DB));
      assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
      assertThat(refusal)
          .hasMessageStartingWith(
              "Reading the claim of volume 'default/db' failed: the database says ")
          .hasMessageEndingWith(
              ". See that the database runs, and that it can be reached from here.");

      server.start();
      assertThat(readAtLast(store)).isEqualTo(before);
      assertThat(store.identity()).isEqualTo(identity);
      assertThat(store.uncertainty(DB)).isEmpty();
      Versioned after = write(store, before.version());
      assertThat(watch.next(Duration.ofSeconds(20))).contains(new Change.Written(after));
    }
  }

  @Test
  void aDirectoryThatWasPutBackIsFoundOutByWhoSawMore() {
    Path backup = server.data().resolveSibling("backup");
    try (ClaimStore store = JdbcClaimStore.open(pool, SETTINGS)) {
      Versioned first = write(store, ClaimVersion.NEVER);
      server.around(() -> server.copy(server.data(), backup));
      readAtLast(store);
      Versioned second = write(store, first.version());
      Path lost = server.data().resolveSibling("lost");
      server.around(
          () -> {
            server.copy(server.data(), lost);
            server.replaceData(backup);
          });

      assertThat(readAtLast(store)).isEqualTo(first);
      assertThat(store.uncertainty(DB).orElseThrow().text())
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
    JdbcSettings synchronous = SETTINGS.toBuilder().losesNothingOnFailover(true).build();
    try (ClaimStore store = JdbcClaimStore.open(pool, SETTINGS);
        ClaimStore trusting = JdbcClaimStore.open(pool, synchronous)) {
      StoreIdentity before = store.identity();
      StoreIdentity trusted = trusting.identity();
      Versioned first = write(store, ClaimVersion.NEVER);
      server.around(() -> server.becomeStandby());

      for (ClaimStore asked : List.of(store, trusting)) {
        assertThat(refusalOfAStandby(asked))
            .isEqualTo(
                "Reading the claim of volume 'default/db' failed: the database says 55000 'ERROR:"
                    + " recovery is in progress'. See that the data source leads to the primary, and"
                    + " to no standby.");
        assertThat(asked.uncertainty(DB)).isEmpty();
      }

      server.sql("SELECT pg_promote()");
      assertThat(readAtLast(store)).isEqualTo(first);
      assertThat(store.identity()).isNotEqualTo(before);
      assertThat(store.compareAndSet(first.version(), Claim.none(DB), token()))
          .isEqualTo(new WriteResult.Conflict(first));
      assertThat(readAtLast(trusting)).isEqualTo(first);
      assertThat(trusting.identity()).isEqualTo(trusted);
      assertThat(trusting.uncertainty(DB)).isEmpty();
      write(trusting, first.version());
    }
    try (ClaimStore trusting = JdbcClaimStore.open(pool, synchronous);
        JdbcClaimStore store = JdbcClaimStore.open(pool, SETTINGS)) {
      assertThat(trusting.readOnly()).isEmpty();
      assertThat(store.readOnly().orElseThrow().text())
          .startsWith("it is store '" + store.identity() + "', and its mark was made in '");
      store.settle();
      write(store, store.read(DB).version());
    }
  }
}
