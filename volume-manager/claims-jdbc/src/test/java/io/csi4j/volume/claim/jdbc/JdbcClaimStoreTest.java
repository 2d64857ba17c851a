package io.csi4j.volume.claim.jdbc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.conformance.ClaimStoreChecks;
import io.csi4j.conformance.claims.ClaimStoreFixture;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.spi.ClaimPage;
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
import io.csi4j.volume.internal.claims.SortedName;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.state.seal.SealingKeys;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

@PostgresTest
class JdbcClaimStoreTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private static PostgresServer server;
  private static HikariDataSource pool;

  private final JdbcSettings settings = inSchema();

  @BeforeAll
  static void startOne() {
    server = PostgresServer.begin();
    pool = server.pool();
  }

  @AfterAll
  static void stopIt() {
    pool.close();
    server.close();
  }

  /** Settings with a schema that no other has. */
  private static JdbcSettings inSchema() {
    String schema = "store \"" + SCHEMAS.incrementAndGet() + "'";
    server.sql("CREATE SCHEMA \"" + schema.replace("\"", "\"\"") + "\"");
    return JdbcSettings.builder().schema(schema).watchInterval(Duration.ofMillis(10)).build();
  }

  private JdbcClaimStore open() {
    return JdbcClaimStore.open(pool, settings);
  }

  private String quoted() {
    return quoted(settings);
  }

  private static String quoted(JdbcSettings settings) {
    return "\"" + settings.schema().orElseThrow().replace("\"", "\"\"") + "\"";
  }

  private static WriteToken token() {
    return new WriteToken(UUID.randomUUID());
  }

  private static Versioned write(ClaimStore store, ClaimVersion expected, VolumeKey volume) {
    WriteResult result = store.compareAndSet(expected, Claim.none(volume), token());
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    return ((WriteResult.Written) result).now();
  }

  private static Sealer sealer(String id) {
    return AesGcmSealer.of(SealingKeys.of(id, Arrays.copyOf(id.getBytes(US_ASCII), 32)));
  }

  /** Each place is a schema of its own. */
  private static final class Schemas implements ClaimStoreFixture {

    @Override
    public Place place() {
      JdbcSettings own = inSchema();
      return new Place() {
        @Override
        public ClaimStore open() {
          return JdbcClaimStore.open(pool, own);
        }

        @Override
        public void damage(VolumeKey volume) {
          server.sql(
              "UPDATE "
                  + quoted(own)
                  + ".csi4j_claim SET record = '\\x0809' WHERE name = "
                  + name(volume));
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public Set<Ability> abilities() {
      return Set.of(Ability.values());
    }
  }

  @TestFactory
  Stream<DynamicTest> aStoreInPostgresKeepsItsPromises() {
    return ClaimStoreChecks.of(new Schemas()).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  /** All that a store has, by pages of this size, as if it were one page. */
  private static ClaimPage all(ClaimStore store, int limit) {
    List<Versioned> readable = new ArrayList<>();
    List<ClaimPage.Unreadable> unreadable = new ArrayList<>();
    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = store.scan(after, limit);
      readable.addAll(page.claims());
      unreadable.addAll(page.unreadable());
      after = page.next();
    } while (after.isPresent());
    return new ClaimPage(readable, unreadable, Optional.empty());
  }

  private static ClaimRequest wish(VolumeKey volume) {
    return ClaimRequest.builder(
            VolumeUse.of(volume, WorkloadId.of("web")),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("id-n1"))
        .build();
  }

  @Test
  void aRowThatNamesNoVolumeIsReportedAndHidesNoClaim() {
    try (ClaimStore store = open()) {
      Versioned good = write(store, ClaimVersion.NEVER, DB);
      server.sql(
          "INSERT INTO "
              + quoted()
              + ".csi4j_claim (name, version, record) VALUES ('\\x7a7a', 999, '\\x0809')");

      ClaimPage all = all(store, 1);

      assertThat(all.claims()).containsExactly(good);
      assertThat(all.unreadable())
          .extracting(ClaimPage.Unreadable::volume)
          .containsExactly(Optional.empty());
    }
  }

  /** Volume names as they stand in the tables. */
  private static String name(VolumeKey volume) {
    return "'\\x" + HexFormat.of().formatHex(SortedName.of(volume)) + "'";
  }

  @Test
  void aRowThatCannotBeReadIsReportedWithItsKeyAndKeepsNoConnectionOfTheHost() throws Exception {
    VolumeKey bad = VolumeKey.of("bad");
    HikariConfig config = PostgresServer.config(server.address());
    config.setMaximumPoolSize(2);
    try (HikariDataSource small = new HikariDataSource(config);
        ClaimStore store = JdbcClaimStore.open(small, settings)) {
      Versioned good = write(store, ClaimVersion.NEVER, DB);
      write(store, ClaimVersion.NEVER, bad);
      for (long version : List.of(-7L, 0L)) {
        server.sql(
            "UPDATE "
                + quoted()
                + ".csi4j_claim SET version = "
                + version
                + " WHERE name = "
                + name(bad));
        String problem =
            "Reading the claim under the key 'default\\u001fbad' of the database failed: it has"
                + " version "
                + version
                + ", and a claim that was written has at least 1. Restore its version, or find out"
                + " what the nodes have mounted before the record is removed.";
        for (int reads = 0; reads < 3; reads++) {
          assertThatExceptionOfType(RecordStoreException.class)
              .isThrownBy(() -> store.read(bad))
              .withMessage(problem)
              .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE));
        }
        ClaimPage all = all(store, 1);
        assertThat(all.claims()).containsExactly(good);
        assertThat(all.unreadable())
            .containsExactly(
                new ClaimPage.Unreadable("default\u001fbad", Optional.of(bad), problem));
        assertThat(small.getHikariPoolMXBean().getActiveConnections()).isZero();
      }
      assertThat(write(store, store.read(DB).version(), DB).by()).isPresent();
    }
  }

  @Test
  void aWriteOnRecordBeyondTheStoreIsNotSentToWatchesAndGivesWayToTheTrueOne() throws Exception {
    try (ClaimStore store = open();
        ClaimWatch watch = store.watch()) {
      Versioned first = write(store, ClaimVersion.NEVER, DB);
      long beyond = first.version().value() + 1;
      for (long version : List.of(beyond, beyond + 5)) {
        server.sql(
            "INSERT INTO "
                + quoted()
                + ".csi4j_claim_write (version, name, record) VALUES ("
                + version
                + ", "
                + name(DB)
                + ", '\\x0809')");
      }
      assertThat(next(watch)).isEqualTo(new Change.Written(first));

      Versioned second = write(store, first.version(), DB);
      Versioned third = write(store, second.version(), DB);

      assertThat(List.of(next(watch), next(watch)))
          .containsExactly(new Change.Written(second), new Change.Written(third));
      assertThat(watch.next(Duration.ZERO)).as("what is beyond came with the third").isEmpty();
    }
  }

  @Test
  void aSealedClaimIsReadByWhoHasTheKey() {
    JdbcSettings sealed = settings.toBuilder().sealer(sealer("k1")).build();
    try (ClaimStore store = JdbcClaimStore.open(pool, sealed)) {
      Versioned now = write(store, ClaimVersion.NEVER, DB);
      assertThat(store.read(DB)).isEqualTo(now);
    }
    try (ClaimStore clear = open()) {
      RecordStoreException refusal =
          catchThrowableOfType(RecordStoreException.class, () -> clear.read(DB));
      assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
      assertThat(refusal)
          .hasMessageEndingWith(
              "of the database failed: it is sealed, and this host was given no key. Give it the"
                  + " key of the others.");
    }
  }

  @Test
  void connectionsThatDoNotCommitByThemselvesAreGivenBackAsTheyWere() throws Exception {
    HikariConfig config = PostgresServer.config(server.address());
    config.setAutoCommit(false);
    try (HikariDataSource manual = new HikariDataSource(config)) {
      try (ClaimStore store = JdbcClaimStore.open(manual, settings);
          ClaimStore other = open()) {
        Versioned now = write(store, ClaimVersion.NEVER, DB);
        assertThat(other.read(DB)).isEqualTo(now);
      }
      try (var connection = manual.getConnection()) {
        assertThat(connection.getAutoCommit()).isFalse();
      }
    }
  }

  @Test
  void aCommitIsOnTheDiskAlsoWhereTheServerWouldNotWaitForIt() {
    server.sql("ALTER SYSTEM SET synchronous_commit = off");
    server.sql("SELECT pg_reload_conf()");
    try (ClaimStore store = open()) {
      server.sql(
          "CREATE FUNCTION "
              + quoted()
              + ".note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO "
              + quoted()
              + ".noted VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$");
      server.sql("CREATE TABLE " + quoted() + ".noted (setting text)");
      server.sql(
          "CREATE TRIGGER note AFTER INSERT OR UPDATE ON "
              + quoted()
              + ".csi4j_claim FOR EACH ROW EXECUTE FUNCTION "
              + quoted()
              + ".note()");
      Versioned first = write(store, ClaimVersion.NEVER, DB);
      write(store, first.version(), DB);
      assertThat(server.column("SELECT setting FROM " + quoted() + ".noted"))
          .containsExactly("on", "on");
    } finally {
      server.sql("ALTER SYSTEM RESET synchronous_commit");
      server.sql("SELECT pg_reload_conf()");
    }
  }

  private static void waitForStandby(String name) {
    server.sql("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
    server.sql("SELECT pg_reload_conf()");
    while (!server.column("SHOW synchronous_standby_names").contains(name)) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Cancels the wait of a commit for a standby, as an administrator may, if there is one. */
  private static <T> T whileAWaitIsCancelled(Supplier<T> question) {
    CompletableFuture<T> answer = CompletableFuture.supplyAsync(question);
    String cancelled =
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while (!answer.isDone() && !server.column(cancelled).contains("t")) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return answer.join();
  }

  private ClaimHolder claimed(ClaimStore store) {
    return new ClaimBook(store, Clock.systemUTC()).claim(wish(DB));
  }

  @Test
  void aClaimThatMayNotBeOnTheStandbyIsNoGrantToWhoLosesNothing() {
    JdbcSettings synchronous = settings.toBuilder().losesNothingOnFailover(true).build();
    try (ClaimStore store = JdbcClaimStore.open(pool, synchronous)) {
      assertThat(store.read(DB).version()).isEqualTo(ClaimVersion.NEVER);
      waitForStandby("nobody");
      WriteToken token = token();

      WriteResult result =
          whileAWaitIsCancelled(
              () -> store.compareAndSet(ClaimVersion.NEVER, Claim.none(DB), token));

      assertThat(result)
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText(
                      "the database says 01000 'canceling wait for synchronous replication due to"
                          + " user request'")));
      Throwable unsure =
          whileAWaitIsCancelled(
              () -> catchThrowableOfType(RecordStoreException.class, () -> store.read(DB)));
      assertThat(unsure)
          .as("the primary shows it, and a standby may not have it")
          .hasMessageStartingWith(
              "Reading the claim of volume 'default/db' failed: the database says 01000 'canceling"
                  + " wait")
          .hasMessageEndingWith(
              "See that a standby that must have each write is running and connected.");

      waitForStandby("");
      assertThat(store.read(DB).by()).contains(token);
    } finally {
      waitForStandby("");
    }
  }

  @Test
  void whoStartsAgainWithoutAStandbyIsNotGrantedWhatIsOnThePrimaryAlone() {
    JdbcSettings synchronous = settings.toBuilder().losesNothingOnFailover(true).build();
    try (ClaimStore primary = open()) {
      claimed(primary);
      waitForStandby("nobody");
      try (ClaimStore store = JdbcClaimStore.open(pool, synchronous)) {
        ClaimException refusal =
            whileAWaitIsCancelled(
                () -> catchThrowableOfType(ClaimException.class, () -> claimed(store)));
        assertThat(refusal.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);

        waitForStandby("");
        assertThat(claimed(store).node()).isEqualTo(NodeName.of("n1"));
      }
    } finally {
      waitForStandby("");
    }
  }

  @Test
  void neighboursInStrictTransactionsAreAskedAgain() throws Exception {
    HikariConfig config = PostgresServer.config(server.address());
    config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
    try (HikariDataSource strict = new HikariDataSource(config)) {
      try (ClaimStore one = JdbcClaimStore.open(strict, settings);
          ClaimStore other = JdbcClaimStore.open(strict, settings)) {
        List<Thread> writers = new ArrayList<>();
        AtomicInteger written = new AtomicInteger();
        for (ClaimStore store : List.of(one, other)) {
          VolumeKey own = VolumeKey.of("v" + writers.size());
          Thread writer =
              new Thread(
                  () -> {
                    ClaimVersion at = ClaimVersion.NEVER;
                    for (int i = 0; i < 30; i++) {
                      at = write(store, at, own).version();
                      written.incrementAndGet();
                    }
                  });
          writer.start();
          writers.add(writer);
        }
        for (Thread writer : writers) {
          writer.join();
        }
        assertThat(written).hasValue(60);
      }
    }
  }

  // ---- watches

  private static Change next(ClaimWatch watch) throws InterruptedException {
    return watch.next(SOON).orElseThrow();
  }

  @Test
  void oldWritesAreForgottenAndAWatchThatKeepsUpGoesOn() throws Exception {
    try (ClaimStore store = open()) {
      Versioned now = write(store, ClaimVersion.NEVER, DB);
      try (ClaimWatch watch = store.watch()) {
        server.sql("UPDATE " + quoted() + ".csi4j_claim_store SET version = version + 20000");
        do {
          now = write(store, now.version(), DB);
        } while (now.version().value() % 256 != 0);
        assertThat(server.column("SELECT forgotten FROM " + quoted() + ".csi4j_claim_store"))
            .containsExactly(Long.toString(now.version().value() - ClaimTables.KEPT));
        Versioned last = write(store, now.version(), DB);
        List<Change> seen = new ArrayList<>();
        do {
          seen.add(next(watch));
        } while (!seen.get(seen.size() - 1).equals(new Change.Written(last)));
      }
    }
  }

  @Test
  void aWatchWhoseWritesAreForgottenTellsThatItMissedSome() throws Exception {
    try (ClaimStore store = open();
        ClaimWatch watch = store.watch()) {
      server.sql(
          "UPDATE "
              + quoted()
              + ".csi4j_claim_store SET version = version + 20000, forgotten = version + 10000");
      assertThat(next(watch))
          .isEqualTo(
              new Change.Missed(
                  new ReasonText("more was written than the database keeps for watches")));
      Versioned now = write(store, ClaimVersion.NEVER, DB);
      assertThat(next(watch)).isEqualTo(new Change.Written(now));
    }
  }

  // ---- which store it is

  /** Puts the tables in a place of their own, as a dump does that is restored. */
  private void restoreTables() {
    String table = quoted() + ".csi4j_claim_store";
    server.sql(
        "BEGIN; CREATE TABLE "
            + quoted()
            + ".copy (LIKE "
            + table
            + " INCLUDING ALL); INSERT INTO "
            + quoted()
            + ".copy SELECT * FROM "
            + table
            + "; DROP TABLE "
            + table
            + "; ALTER TABLE "
            + quoted()
            + ".copy RENAME TO csi4j_claim_store; COMMIT");
  }

  private String home() {
    return server.column("SELECT home FROM " + quoted() + ".csi4j_claim_store").get(0);
  }

  private static ClaimRequest other() {
    return ClaimRequest.builder(
            VolumeUse.of(DB, WorkloadId.of("job")),
            NodeName.of("n3"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  /** Checks that claims are read in a store, and neither taken nor given back. */
  private static void isReadOnly(ClaimStore store, String why) {
    assertThat(store.readOnly()).contains(new ReasonText(why));
    ClaimBook book = new ClaimBook(store, Clock.systemUTC());
    VolumeUse web = VolumeUse.of(DB, WorkloadId.of("web"));
    for (ThrowingCallable change :
        List.<ThrowingCallable>of(
            () -> book.claim(other()),
            () -> book.claim(wish(DB)),
            () -> book.standing(web, 1),
            () -> book.advance(web, ClaimState.UNPUBLISHING))) {
      assertThatExceptionOfType(ClaimException.class)
          .isThrownBy(change)
          .withMessageContaining(why)
          .withMessageContaining("then call settle() on the store")
          .satisfies(e -> assertThat(e.outcome()).isEqualTo(ChangeOutcome.HELD))
          .satisfies(e -> assertThat(e.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK));
    }
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> store.compareAndSet(ClaimVersion.NEVER, Claim.none(DB), token()))
        .withMessage(
            "Writing the claim of volume 'default/db' failed: "
                + why
                + ". Compare its claims with what the nodes have mounted, then call"
                + " JdbcClaimStore.settle().")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.IN_DOUBT));
    assertThat(book.read(DB).holder(WorkloadId.of("web"))).as("it is read").isPresent();
  }

  /** Settles it through one process, and lets another one go on that waited for it. */
  private void goesOnOnceSettled(JdbcClaimStore store, JdbcClaimStore waiting) {
    ClaimBook book = new ClaimBook(store, Clock.systemUTC());
    ClaimBook elsewhere = new ClaimBook(waiting, Clock.systemUTC());
    StoreIdentity settled = store.settle();

    assertThat(store.identity()).isEqualTo(settled);
    for (ClaimBook each : List.of(book, elsewhere)) {
      assertThatExceptionOfType(ClaimException.class)
          .isThrownBy(() -> each.claim(other()))
          .satisfies(e -> assertThat(e.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY));
    }
    assertThat(elsewhere.advance(VolumeUse.of(DB, WorkloadId.of("web")), ClaimState.UNPUBLISHING))
        .isPresent();
    assertThat(waiting.settle()).as("once for all").isEqualTo(settled);
    try (ClaimStore next = open()) {
      assertThat(next.readOnly()).isEmpty();
      assertThat(next.identity()).isEqualTo(settled);
    }
  }

  @Test
  void tablesThatWereRestoredAreAnotherStoreAndTakeNothingBeforeAPersonHasSettledThem()
      throws Exception {
    try (JdbcClaimStore store = open()) {
      Versioned before = write(store, ClaimVersion.NEVER, VolumeKey.of("other"));
      claimed(store);
      StoreIdentity first = store.identity();
      try (ClaimWatch watch = store.watch()) {
        restoreTables();

        assertThat(store.compareAndSet(before.version(), before.claim(), token()))
            .isEqualTo(new WriteResult.Conflict(before));
        assertThat(store.identity()).isNotEqualTo(first);
        assertThat(next(watch))
            .isEqualTo(
                new Change.Missed(
                    new ReasonText("the database is another one than it was, or has gone back")));
        assertThatExceptionOfType(RecordStoreException.class)
            .isThrownBy(store::settle)
            .withMessage(
                "Settling the store of claims failed: it is store '"
                    + store.identity()
                    + "' now, and was '"
                    + first
                    + "'. Start this process again, and settle the store then if it takes no"
                    + " claims.")
            .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.IN_DOUBT));
      }
    }
    String madeIn = home();
    try (JdbcClaimStore again = open();
        JdbcClaimStore waiting = open()) {
      isReadOnly(
          again,
          "it is store '"
              + again.identity()
              + "', and its mark was made in '"
              + madeIn
              + "' (cluster, table and timeline), as in a copy that was restored or a standby that"
              + " took over");
      goesOnOnceSettled(again, waiting);
      assertThat(home()).isNotEqualTo(madeIn);
    }
  }

  @Test
  void aStoreWhoseMarkWasTakenAwayIsReadOnlyUntilAPersonHasSettledItAndItsVersionsGoOn() {
    Versioned before;
    StoreIdentity first;
    try (JdbcClaimStore store = open()) {
      claimed(store);
      before = store.read(DB);
      first = store.identity();
      server.sql("DELETE FROM " + quoted() + ".csi4j_claim_store");
      assertThat(store.compareAndSet(before.version(), before.claim(), token()))
          .isEqualTo(new WriteResult.Conflict(before));
      assertThat(store.identity()).hasToString("postgresql, without the mark of a store");
    }
    try (JdbcClaimStore again = open();
        JdbcClaimStore waiting = open()) {
      isReadOnly(again, "it has claims and no mark, as an older copy that was restored");
      goesOnOnceSettled(again, waiting);
      assertThat(again.identity()).isNotEqualTo(first);
      assertThat(waiting.read(DB).version()).isGreaterThan(before.version());
    }
  }

  @Test
  void aStoreThatIsNotTheConfiguredOneIsReadOnlyAlsoIfItIsEmpty() {
    StoreIdentity known = new StoreIdentity("postgresql-1-2-3-4");
    JdbcSettings configured = settings.toBuilder().identity(known).build();
    try (JdbcClaimStore store = JdbcClaimStore.open(pool, configured)) {
      assertThat(store.readOnly())
          .contains(
              new ReasonText(
                  "it is store 'postgresql, without the mark of a store', and this process is"
                      + " configured with 'postgresql-1-2-3-4'"));
    }
    try (JdbcClaimStore other = open();
        JdbcClaimStore store = JdbcClaimStore.open(pool, configured)) {
      claimed(other);
      isReadOnly(
          store,
          "it is store '"
              + other.identity()
              + "', and this process is configured with 'postgresql-1-2-3-4'");
      StoreIdentity settled = store.settle();
      assertThat(settled).as("nothing is wrong with it").isEqualTo(other.identity());
      assertThat(claimed(store).node()).isEqualTo(NodeName.of("n1"));
      try (JdbcClaimStore right =
          JdbcClaimStore.open(pool, settings.toBuilder().identity(settled).build())) {
        assertThat(right.readOnly()).isEmpty();
      }
    }
  }

  @Test
  void tablesThatAreOlderThanTheirPlaceAreCompletedAndStayTheSameStore() {
    StoreIdentity before;
    try (JdbcClaimStore store = open()) {
      claimed(store);
      before = store.identity();
    }
    server.sql("ALTER TABLE " + quoted() + ".csi4j_claim_store DROP COLUMN home");
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(
            () -> JdbcClaimStore.open(pool, settings.toBuilder().makesTables(false).build()))
        .withMessageEndingWith(
            "Make the schema and its tables with tables.sql, or name the schema where they are.");
    try (JdbcClaimStore store = open()) {
      assertThat(store.identity()).isEqualTo(before);
      assertThat(store.readOnly()).isEmpty();
    }
    restoreTables();
    try (JdbcClaimStore copy = open()) {
      assertThat(copy.readOnly()).isPresent();
    }
  }

  @Test
  void aStoreThatWentBackIsInDoubt() {
    try (ClaimStore store = open()) {
      Versioned first = write(store, ClaimVersion.NEVER, DB);
      Versioned second = write(store, first.version(), DB);
      server.sql("UPDATE " + quoted() + ".csi4j_claim_store SET version = 1");

      store.read(DB);

      assertThat(store.uncertainty(DB))
          .contains(
              new ReasonText(
                  "the database is at version 1, and was at "
                      + second.version()
                      + " before: an older copy of it was restored"));
    }
  }

  // ---- what is refused

  @Test
  void tablesThatAreMissingAreNamedWithWhatToDo() {
    JdbcSettings strict = settings.toBuilder().makesTables(false).build();
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> JdbcClaimStore.open(pool, strict))
        .withMessageStartingWith(
            "Opening the store of claims failed: the database says 42P01 'ERROR: relation \"")
        .withMessageEndingWith(
            "Make the schema and its tables with tables.sql, or name the schema where they are.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
  }

  @Test
  void aUserWithoutRightsIsToldWhatIsMissing() {
    open().close();
    server.sql("CREATE USER reader" + SCHEMAS.get());
    try (HikariDataSource reading =
        PostgresServer.pool(
            server.address().replace("user=csi4j", "user=reader" + SCHEMAS.get()))) {
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> JdbcClaimStore.open(reading, settings))
          .withMessageContaining("the database says 42501 'ERROR: permission denied")
          .withMessageEndingWith(
              "Let the user read and write the three tables, or make them with tables.sql.");
    }
  }

  @Test
  void aClosedStoreSaysSo() {
    ClaimStore store = open();
    store.close();
    RecordStoreException refusal =
        catchThrowableOfType(RecordStoreException.class, () -> store.read(DB));
    assertThat(refusal.reason()).isEqualTo(Reason.CLOSED);
    assertThat(refusal)
        .hasMessage(
            "Reading the claim of volume 'default/db' failed: the store was closed here. Open it"
                + " anew.");
  }

  @Test
  void timesThatAreTooShortOrTooLongAreRefused() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> JdbcSettings.builder().deadline(Duration.ofMillis(99)).build())
        .withMessage("The deadline for the database is PT0.099S. Use one from 100 ms to 1 minute.");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> JdbcSettings.builder().watchInterval(Duration.ofHours(1)).build())
        .withMessage(
            "The interval of watches for the database is PT1H. Use one from 10 ms to 1 minute.");
  }
}
