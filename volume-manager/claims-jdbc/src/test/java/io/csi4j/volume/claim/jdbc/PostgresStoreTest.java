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
import io.csi4j.conformance.RecordStoreChecks;
import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
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
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
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
class PostgresStoreTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final RecordKey KEY = ClaimCodec.key(DB);
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

  private PostgresStore open() {
    return PostgresStore.open(pool, settings);
  }

  private String quoted() {
    return quoted(settings);
  }

  private static String quoted(JdbcSettings settings) {
    return "\"" + settings.schema().orElseThrow().replace("\"", "\"\"") + "\"";
  }

  private static StoredRecord write(RecordStore store, VolumeKey volume) {
    return StoredClaims.in(store).write(Claim.none(volume)).stored().orElseThrow();
  }

  /** Tries to write a claim over what was seen. */
  private static WriteResult attempt(RecordStore store, Optional<StoredRecord> seen, int mark) {
    return store.write(
        new RecordWrite(KEY, seen, Optional.of(StateValue.of(new byte[] {(byte) mark}))));
  }

  private static Sealer sealer(String id) {
    return AesGcmSealer.of(AesGcmSealer.Keys.of(id, Arrays.copyOf(id.getBytes(US_ASCII), 32)));
  }

  /** Each place is a schema of its own. */
  private static final class Schemas implements RecordStoreFixture {

    @Override
    public Place place() {
      JdbcSettings own = inSchema();
      return new Place() {
        @Override
        public RecordStore open() {
          return PostgresStore.open(pool, own);
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
    return RecordStoreChecks.of(new Schemas()).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  /** All that a store has, by pages of this size, as if it were one page. */
  private static ClaimPage all(RecordStore store, int limit) {
    ClaimBook book = new ClaimBook(store, Clock.systemUTC());
    List<Claim> readable = new ArrayList<>();
    List<ClaimPage.Unreadable> unreadable = new ArrayList<>();
    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = book.page(after, limit);
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
    try (RecordStore store = open()) {
      write(store, DB);
      server.sql(
          "INSERT INTO "
              + quoted()
              + ".csi4j_claim (name, version, record) VALUES ('\\x7a7a', 999, '\\x0809')");

      ClaimPage all = all(store, 1);

      assertThat(all.claims()).containsExactly(Claim.none(DB));
      assertThat(all.unreadable())
          .extracting(ClaimPage.Unreadable::volume)
          .containsExactly(Optional.empty());
    }
  }

  @Test
  void aRowThatBeginsWithTheByteOfClaimsIsReportedAndHidesNoClaim() {
    try (RecordStore store = open()) {
      List<VolumeKey> volumes = List.of(VolumeKey.of("a"), VolumeKey.of("b"), VolumeKey.of("c"));
      volumes.forEach(each -> write(store, each));
      for (String row : List.of("027a", "02ff", "0264656661756c741f62")) {
        server.sql(
            "INSERT INTO "
                + quoted()
                + ".csi4j_claim (name, version, record) VALUES ('\\x"
                + row
                + "', 999, '\\x0809')");
      }

      for (int limit : List.of(1, 2, 3, 100)) {
        ClaimPage all = all(store, limit);

        assertThat(all.claims())
            .containsExactlyElementsOf(volumes.stream().map(Claim::none).toList());
        assertThat(all.unreadable()).hasSize(3);
      }
    }
  }

  /** Names of the longest volumes, of letters that no compression makes shorter. */
  private static List<VolumeKey> longest(int seed) {
    Random random = new Random(seed);
    Supplier<String> name =
        () ->
            random
                .ints(1024, 0x4e00, 0x9fa0)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    Namespace namespace = Namespace.of(name.get());
    String id = name.get();
    List<VolumeKey> all = new ArrayList<>();
    for (String end : List.of("a", "b", "c", "\u4e00", "\u9f00")) {
      all.add(VolumeKey.of(namespace, id.substring(0, 1023) + end));
      all.add(VolumeKey.of(namespace, id.substring(0, 500) + end));
    }
    all.add(VolumeKey.of(namespace, "x"));
    all.add(VolumeKey.of(Namespace.of(name.get()), id));
    all.add(VolumeKey.of("short"));
    return all.stream().sorted().toList();
  }

  @Test
  void theLongestNamesAreKeptApartInTheirOrder() throws Exception {
    List<VolumeKey> all = longest(7);
    List<VolumeKey> mixed = new ArrayList<>(all);
    Collections.shuffle(mixed, new Random(8));
    try (RecordStore store = open();
        Watch watch = store.watch(Space.CLAIMS)) {
      for (VolumeKey each : mixed) {
        StoredRecord written = write(store, each);
        assertThat(next(watch)).isEqualTo(new Change.Written(written));
      }

      for (int limit : List.of(1, 2, 3, 7, 100)) {
        assertThat(all(store, limit).claims())
            .containsExactlyElementsOf(all.stream().map(Claim::none).toList());
      }

      VolumeKey gone = all.get(all.size() / 2);
      StoredRecord there = store.read(ClaimCodec.key(gone)).orElseThrow();
      StoredRecord now = write(store, gone);
      assertThat(next(watch)).isEqualTo(new Change.Written(now));
      RecordWrite late =
          new RecordWrite(there.key(), Optional.of(there), Optional.of(there.value()));
      assertThat(store.write(late)).isEqualTo(new WriteResult.Conflict(List.of(now)));
      assertThat(store.write(new RecordWrite(now.key(), Optional.of(now), Optional.empty())))
          .isEqualTo(new WriteResult.Written(List.of()));
      // The conflict has used up a version.
      assertThat(next(watch)).isEqualTo(new Change.Removed(now.key(), now.version() + 2));
      assertThat(store.read(now.key())).isEmpty();
      assertThat(all(store, 3).claims()).hasSize(all.size() - 1);
    }
  }

  @Test
  void aLongNameOfBeforeGetsItsFormWhenTheStoreIsOpened() {
    VolumeKey volume = VolumeKey.of(Namespace.of("\u4e00".repeat(1024)), "\u4e01".repeat(1024));
    StoredRecord there;
    try (RecordStore store = open()) {
      there = write(store, volume);
      server.sql(
          "UPDATE "
              + quoted()
              + ".csi4j_claim SET name = substring(record FROM 37 FOR 6145),"
              + " record = substring(record FROM 37 + 6145)");
      assertThat(store.read(there.key())).isEmpty();
    }

    for (int i = 0; i < 2; i++) {
      try (RecordStore store = open()) {
        assertThat(store.read(there.key())).contains(there);
        assertThat(all(store, 1).claims()).containsExactly(Claim.none(volume));
      }
    }
  }

  /** Volume names as they stand in the tables. */
  private static String name(VolumeKey volume) {
    return "'\\x" + HexFormat.of().formatHex(RowName.of(ClaimCodec.key(volume))) + "'";
  }

  @Test
  void aRowThatCannotBeReadIsReportedWithItsKeyAndKeepsNoConnectionOfTheHost() throws Exception {
    VolumeKey bad = VolumeKey.of("bad");
    HikariConfig config = PostgresServer.config(server.address());
    config.setMaximumPoolSize(2);
    try (HikariDataSource small = new HikariDataSource(config);
        RecordStore store = PostgresStore.open(small, settings)) {
      write(store, DB);
      write(store, bad);
      for (long version : List.of(-7L, 0L)) {
        server.sql(
            "UPDATE "
                + quoted()
                + ".csi4j_claim SET version = "
                + version
                + " WHERE name = "
                + name(bad));
        String problem =
            "Reading the claim of volume 'default/bad' failed: it has version "
                + version
                + ", but a written record has at least version 1. Restore its version, or check "
                + "what the nodes have mounted before you remove the record.";
        for (int reads = 0; reads < 3; reads++) {
          assertThatExceptionOfType(RecordStoreException.class)
              .isThrownBy(() -> StoredClaims.in(store).read(bad))
              .withMessage(problem)
              .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE));
        }
        ClaimPage all = all(store, 1);
        assertThat(all.claims()).containsExactly(Claim.none(DB));
        assertThat(all.unreadable())
            .containsExactly(
                new ClaimPage.Unreadable("CLAIMS/default/bad", Optional.of(bad), problem));
        assertThat(small.getHikariPoolMXBean().getActiveConnections()).isZero();
      }
      assertThat(write(store, DB).version()).isPositive();
    }
  }

  @Test
  void aWriteOnRecordBeyondTheStoreIsNotSentToWatchesAndGivesWayToTheTrueOne() throws Exception {
    try (RecordStore store = open();
        Watch watch = store.watch(Space.CLAIMS)) {
      StoredRecord first = write(store, DB);
      long beyond = first.version() + 1;
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

      StoredRecord second = write(store, DB);
      StoredRecord third = write(store, DB);

      assertThat(List.of(next(watch), next(watch)))
          .containsExactly(new Change.Written(second), new Change.Written(third));
      assertThat(watch.next(Duration.ZERO)).as("what is beyond came with the third").isEmpty();
    }
  }

  @Test
  void aSealedClaimIsReadByWhoHasTheKey() {
    JdbcSettings sealed = settings.toBuilder().sealer(sealer("k1")).build();
    try (RecordStore store = PostgresStore.open(pool, sealed)) {
      StoredRecord now = write(store, DB);
      assertThat(store.read(KEY)).contains(now);
    }
    try (RecordStore clear = open()) {
      RecordStoreException refusal =
          catchThrowableOfType(RecordStoreException.class, () -> StoredClaims.in(clear).read(DB));
      assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
      assertThat(refusal)
          .hasMessageEndingWith(
              "failed: it is sealed, and this host has no key. Configure the key of the other"
                  + " hosts.");
    }
  }

  @Test
  void connectionsThatDoNotCommitByThemselvesAreGivenBackAsTheyWere() throws Exception {
    HikariConfig config = PostgresServer.config(server.address());
    config.setAutoCommit(false);
    try (HikariDataSource manual = new HikariDataSource(config)) {
      try (RecordStore store = PostgresStore.open(manual, settings);
          RecordStore other = open()) {
        StoredRecord now = write(store, DB);
        assertThat(other.read(KEY)).contains(now);
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
    try (RecordStore store = open()) {
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
      write(store, DB);
      write(store, DB);
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

  private ClaimHolder claimed(RecordStore store) {
    return new ClaimBook(store, Clock.systemUTC()).claim(wish(DB));
  }

  @Test
  void aClaimThatMayNotBeOnTheStandbyIsNoGrantToWhoLosesNothing() {
    JdbcSettings synchronous = settings.toBuilder().losesNothingOnFailover(true).build();
    try (RecordStore store = PostgresStore.open(pool, synchronous)) {
      assertThat(store.read(KEY)).isEmpty();
      waitForStandby("nobody");
      WriteResult result = whileAWaitIsCancelled(() -> attempt(store, Optional.empty(), 7));

      assertThat(result)
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText(
                      "the database reports 01000 'canceling wait for synchronous replication due"
                          + " to user request'")));
      Throwable unsure =
          whileAWaitIsCancelled(
              () -> catchThrowableOfType(RecordStoreException.class, () -> store.read(KEY)));
      assertThat(unsure)
          .as("the primary shows it, and a standby may not have it")
          .hasMessageStartingWith(
              "Reading CLAIMS/default/db failed: the database reports 01000 'canceling" + " wait")
          .hasMessageEndingWith(
              "Check that the required synchronous standby is running and connected.");

      waitForStandby("");
      assertThat(store.read(KEY).map(StoredRecord::value)).contains(StateValue.of(new byte[] {7}));
    } finally {
      waitForStandby("");
    }
  }

  @Test
  void whoStartsAgainWithoutAStandbyIsNotGrantedWhatIsOnThePrimaryAlone() {
    JdbcSettings synchronous = settings.toBuilder().losesNothingOnFailover(true).build();
    try (RecordStore primary = PostgresStore.open(pool, synchronous)) {
      claimed(primary);
      waitForStandby("nobody");
      try (RecordStore store = PostgresStore.open(pool, synchronous)) {
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
  void thatFailoverLosesNothingIsKeptInTheStoreAndChangesNoIdentity() {
    JdbcSettings synchronous = settings.toBuilder().losesNothingOnFailover(true).build();
    try (RecordStore before = open();
        RecordStore declaring = PostgresStore.open(pool, synchronous);
        RecordStore later = open();
        RecordStore look = PostgresStore.look(pool, settings)) {
      assertThat(List.of(declaring.identity(), later.identity(), look.identity()))
          .containsOnly(before.identity());
      assertThat(attempt(before, Optional.empty(), 7)).isInstanceOf(WriteResult.Written.class);

      waitForStandby("nobody");
      assertThat(look.read(KEY).map(StoredRecord::value))
          .as("a look waits for no standby")
          .contains(StateValue.of(new byte[] {7}));
      for (RecordStore each : List.of(before, declaring, later)) {
        Optional<StoredRecord> seen = look.read(KEY);
        assertThat(whileAWaitIsCancelled(() -> attempt(each, seen, 8)))
            .isInstanceOf(WriteResult.Unknown.class);
      }
    } finally {
      waitForStandby("");
    }
  }

  @Test
  void anotherStoreThanTheExpectedOneIsNotChanged() {
    JdbcSettings expecting =
        settings.toBuilder()
            .losesNothingOnFailover(true)
            .identity(new StoreIdentity("another"))
            .build();
    String home = "SELECT home LIKE '%*' FROM " + quoted() + ".csi4j_claim_store";
    open().close();

    PostgresStore.open(pool, expecting).close();
    assertThat(server.column(home)).containsExactly("f");
    PostgresStore.look(pool, settings.toBuilder().losesNothingOnFailover(true).build()).close();
    assertThat(server.column(home)).containsExactly("f");
    PostgresStore.open(pool, settings.toBuilder().losesNothingOnFailover(true).build()).close();
    assertThat(server.column(home)).containsExactly("t");
  }

  @Test
  void neighboursInStrictTransactionsAreAskedAgain() throws Exception {
    HikariConfig config = PostgresServer.config(server.address());
    config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
    try (HikariDataSource strict = new HikariDataSource(config)) {
      try (RecordStore one = PostgresStore.open(strict, settings);
          RecordStore other = PostgresStore.open(strict, settings)) {
        List<Thread> writers = new ArrayList<>();
        AtomicInteger written = new AtomicInteger();
        for (RecordStore store : List.of(one, other)) {
          VolumeKey own = VolumeKey.of("v" + writers.size());
          Thread writer =
              new Thread(
                  () -> {
                    for (int i = 0; i < 30; i++) {
                      write(store, own);
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

  private static Change next(Watch watch) throws InterruptedException {
    return watch.next(SOON).orElseThrow();
  }

  @Test
  void oldWritesAreForgottenAndAWatchThatKeepsUpGoesOn() throws Exception {
    try (RecordStore store = open()) {
      StoredRecord now = write(store, DB);
      try (Watch watch = store.watch(Space.CLAIMS)) {
        server.sql("UPDATE " + quoted() + ".csi4j_claim_store SET version = version + 20000");
        do {
          now = write(store, DB);
        } while (now.version() % 256 != 0);
        assertThat(server.column("SELECT forgotten FROM " + quoted() + ".csi4j_claim_store"))
            .containsExactly(Long.toString(now.version() - StoreTables.KEPT));
        StoredRecord last = write(store, DB);
        List<Change> seen = new ArrayList<>();
        do {
          seen.add(next(watch));
        } while (!seen.get(seen.size() - 1).equals(new Change.Written(last)));
      }
    }
  }

  @Test
  void aWatchWhoseWritesAreForgottenTellsThatItMissedSome() throws Exception {
    try (RecordStore store = open();
        Watch watch = store.watch(Space.CLAIMS)) {
      server.sql(
          "UPDATE "
              + quoted()
              + ".csi4j_claim_store SET version = version + 20000, forgotten = version + 10000");
      assertThat(next(watch))
          .isEqualTo(
              new Change.Missed(
                  new ReasonText("more was written than the database keeps for watches")));
      StoredRecord now = write(store, DB);
      assertThat(next(watch)).isEqualTo(new Change.Written(now));
    }
  }

  @Test
  void aWatchTellsEachTimeThatTheDatabaseWentBack() throws Exception {
    Change missed =
        new Change.Missed(
            new ReasonText(
                "the database has another identity than before, or was restored to an "
                    + "older state"));
    try (RecordStore store = open();
        Watch watch = store.watch(Space.CLAIMS)) {
      for (int times = 0; times < 2; times++) {
        for (int i = 0; i < 3; i++) {
          StoredRecord now = write(store, DB);
          assertThat(next(watch)).isEqualTo(new Change.Written(now));
        }
        server.sql("UPDATE " + quoted() + ".csi4j_claim_store SET version = 1");
        assertThat(next(watch)).isEqualTo(missed);
      }
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
  private static void isReadOnly(RecordStore store, String why) {
    assertThat(store.readOnly()).contains(new ReasonText(why));
    ClaimBook book = new ClaimBook(store, Clock.systemUTC());
    VolumeUse web = VolumeUse.of(DB, WorkloadId.of("web"));
    for (ThrowingCallable change :
        List.<ThrowingCallable>of(
            () -> book.claim(other()),
            () -> book.claim(wish(DB)),
            () -> book.standing(web, 1),
            () -> book.advance(web, ClaimHolder.State.UNPUBLISHING))) {
      assertThatExceptionOfType(ClaimException.class)
          .isThrownBy(change)
          .withMessageContaining(why)
          .withMessageContaining("; accept with 'csi4j store accept' or settle();")
          .satisfies(e -> assertThat(e.outcome()).isEqualTo(ChangeOutcome.HELD))
          .satisfies(e -> assertThat(e.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK));
    }
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> attempt(store, Optional.empty(), 1))
        .withMessage(
            "Writing CLAIMS/default/db failed: "
                + why
                + ". Compare its claims with what the nodes have mounted, then accept it"
                + " with 'csi4j store accept' or PostgresStore.settle().")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.IN_DOUBT));
    assertThat(book.read(DB).holder(WorkloadId.of("web"))).as("it is read").isPresent();
  }

  /** Settles it through one process, and lets another one go on that waited for it. */
  private void goesOnOnceSettled(PostgresStore store, PostgresStore waiting) {
    ClaimBook book = new ClaimBook(store, Clock.systemUTC());
    ClaimBook elsewhere = new ClaimBook(waiting, Clock.systemUTC());
    StoreIdentity settled = store.settle();

    assertThat(store.identity()).isEqualTo(settled);
    for (ClaimBook each : List.of(book, elsewhere)) {
      assertThatExceptionOfType(ClaimException.class)
          .isThrownBy(() -> each.claim(other()))
          .satisfies(e -> assertThat(e.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY));
    }
    assertThat(
            elsewhere.advance(
                VolumeUse.of(DB, WorkloadId.of("web")), ClaimHolder.State.UNPUBLISHING))
        .isPresent();
    assertThat(waiting.settle()).as("once for all").isEqualTo(settled);
    try (RecordStore next = open()) {
      assertThat(next.readOnly()).isEmpty();
      assertThat(next.identity()).isEqualTo(settled);
    }
  }

  @Test
  void tablesThatWereRestoredAreAnotherStoreAndTakeNothingBeforeAPersonHasSettledThem()
      throws Exception {
    try (PostgresStore store = open()) {
      claimed(store);
      StoredRecord before = store.read(KEY).orElseThrow();
      StoreIdentity first = store.identity();
      try (Watch watch = store.watch(Space.CLAIMS)) {
        restoreTables();

        assertThat(attempt(store, Optional.of(before), 1))
            .isEqualTo(new WriteResult.Conflict(List.of(before)));
        assertThat(store.identity()).isNotEqualTo(first);
        assertThat(next(watch))
            .isEqualTo(
                new Change.Missed(
                    new ReasonText(
                        "the database has another identity than before, or was restored to an "
                            + "older state")));
        assertThatExceptionOfType(RecordStoreException.class)
            .isThrownBy(store::settle)
            .withMessage(
                "Settling the store failed: it is store '"
                    + store.identity()
                    + "' now, but was '"
                    + first
                    + "'. Start this process again, and settle the store then if it accepts no"
                    + " writes.")
            .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.IN_DOUBT));
      }
    }
    String madeIn = home();
    try (PostgresStore again = open();
        PostgresStore waiting = open()) {
      isReadOnly(
          again,
          "it is store '"
              + again.identity()
              + "', but its mark was created in '"
              + madeIn
              + "' (cluster, table and timeline), as in a restored copy or a standby that"
              + " took over");
      goesOnOnceSettled(again, waiting);
      assertThat(home()).isNotEqualTo(madeIn);
    }
  }

  @Test
  void aStoreWhoseMarkWasTakenAwayIsReadOnlyUntilAPersonHasSettledItAndItsVersionsGoOn() {
    StoredRecord before;
    StoreIdentity first;
    try (PostgresStore store = open()) {
      claimed(store);
      before = store.read(KEY).orElseThrow();
      first = store.identity();
      server.sql("DELETE FROM " + quoted() + ".csi4j_claim_store");
      assertThat(attempt(store, Optional.of(before), 1))
          .isEqualTo(new WriteResult.Conflict(List.of(before)));
      assertThat(store.identity()).hasToString("postgresql, without the mark of a store");
    }
    try (PostgresStore again = open();
        PostgresStore waiting = open()) {
      isReadOnly(again, "it has records but no mark, like a restored older copy");
      goesOnOnceSettled(again, waiting);
      assertThat(again.identity()).isNotEqualTo(first);
      assertThat(waiting.read(KEY).orElseThrow().version()).isGreaterThan(before.version());
    }
  }

  @Test
  void aStoreThatIsNotTheConfiguredOneIsReadOnlyAlsoIfItIsEmpty() {
    StoreIdentity known = new StoreIdentity("postgresql-1-2-3-4");
    JdbcSettings configured = settings.toBuilder().identity(known).build();
    try (PostgresStore store = PostgresStore.open(pool, configured)) {
      assertThat(store.readOnly())
          .contains(
              new ReasonText(
                  "it is store 'postgresql, without the mark of a store', and this process is"
                      + " configured with 'postgresql-1-2-3-4'"));
    }
    try (PostgresStore other = open();
        PostgresStore store = PostgresStore.open(pool, configured)) {
      claimed(other);
      isReadOnly(
          store,
          "it is store '"
              + other.identity()
              + "', and this process is configured with 'postgresql-1-2-3-4'");
      StoreIdentity settled = store.settle();
      assertThat(settled).as("nothing is wrong with it").isEqualTo(other.identity());
      assertThat(claimed(store).node()).isEqualTo(NodeName.of("n1"));
      try (PostgresStore right =
          PostgresStore.open(pool, settings.toBuilder().identity(settled).build())) {
        assertThat(right.readOnly()).isEmpty();
      }
    }
  }

  @Test
  void aLookMakesNeitherTablesNorAMark() {
    String schema = settings.schema().orElseThrow();
    String tables =
        "SELECT count(*) FROM pg_tables WHERE schemaname = '" + schema.replace("'", "''") + "'";
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> PostgresStore.look(pool, settings))
        .withMessageEndingWith(
            "Create the schema and its tables with tables.sql, or configure the schema that has"
                + " them.");
    assertThat(server.column(tables)).containsExactly("0");
    try (PostgresStore store = open();
        PostgresStore look = PostgresStore.look(pool, settings)) {
      claimed(store);
      assertThat(look.identity()).isEqualTo(store.identity());
      assertThat(look.read(KEY)).isEqualTo(store.read(KEY)).isPresent();
    }
    server.sql("DELETE FROM " + quoted() + ".csi4j_claim_store");
    try (PostgresStore look = PostgresStore.look(pool, settings)) {
      assertThat(look.readOnly()).isPresent();
    }
    assertThat(server.column("SELECT count(*) FROM " + quoted() + ".csi4j_claim_store"))
        .containsExactly("0");
  }

  @Test
  void tablesThatAreOlderThanTheirPlaceAreCompletedAndStayTheSameStore() {
    StoreIdentity before;
    try (PostgresStore store = open()) {
      claimed(store);
      before = store.identity();
    }
    server.sql("ALTER TABLE " + quoted() + ".csi4j_claim_store DROP COLUMN home");
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> PostgresStore.open(pool, settings.toBuilder().makesTables(false).build()))
        .withMessageEndingWith(
            "Create the schema and its tables with tables.sql, or configure the schema that has"
                + " them.");
    try (PostgresStore store = open()) {
      assertThat(store.identity()).isEqualTo(before);
      assertThat(store.readOnly()).isEmpty();
    }
    restoreTables();
    try (PostgresStore copy = open()) {
      assertThat(copy.readOnly()).isPresent();
    }
  }

  @Test
  void tablesThatTakeNoRemovalAreBroughtUpToDateOrNamed() {
    String record = quoted() + ".csi4j_claim_write ALTER COLUMN record";
    try (PostgresStore store = open()) {
      write(store, DB);
    }
    server.sql("DELETE FROM " + quoted() + ".csi4j_claim_write");
    server.sql("ALTER TABLE " + record + " SET NOT NULL");
    try (PostgresStore strict =
        PostgresStore.open(pool, settings.toBuilder().makesTables(false).build())) {
      StoredRecord there = write(strict, DB);
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(
              () -> strict.write(new RecordWrite(KEY, Optional.of(there), Optional.empty())))
          .withMessageStartingWith("Writing CLAIMS/default/db failed: the database reports 23502 ")
          .withMessageEndingWith("Let the owner of the tables update them with tables.sql.");
    }
    try (PostgresStore store = open()) {
      assertThat(store.write(new RecordWrite(KEY, store.read(KEY), Optional.empty())))
          .isEqualTo(new WriteResult.Written(List.of()));
      assertThat(store.read(KEY)).isEmpty();
    }
  }

  @Test
  void aStoreThatWentBackIsInDoubt() {
    try (RecordStore store = open()) {
      write(store, DB);
      StoredRecord second = write(store, DB);
      server.sql("UPDATE " + quoted() + ".csi4j_claim_store SET version = 1");

      store.read(KEY);

      assertThat(store.uncertainty(KEY))
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
        .isThrownBy(() -> PostgresStore.open(pool, strict))
        .withMessageStartingWith(
            "Opening the store failed: the database reports 42P01 'ERROR: relation \"")
        .withMessageEndingWith(
            "Create the schema and its tables with tables.sql, or configure the schema that has"
                + " them.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
  }

  @Test
  void aUserWithoutRightsIsToldWhatIsMissing() {
    open().close();
    server.sql("CREATE USER reader" + SCHEMAS.get());
    try (HikariDataSource reading = poolOf("reader" + SCHEMAS.get())) {
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> PostgresStore.open(reading, settings))
          .withMessageContaining("the database reports 42501 'ERROR: permission denied")
          .withMessageEndingWith(
              "Let the user read and write the three tables; where they are missing or older, let"
                  + " their owner run tables.sql.");
    }
  }

  private static HikariDataSource poolOf(String user) {
    return PostgresServer.pool(server.address().replace("user=csi4j", "user=" + user));
  }

  @Test
  void aUserThatDoesNotOwnTheTablesOpensOlderOnesThatTakeClaims() {
    open().close();
    server.sql("ALTER TABLE " + quoted() + ".csi4j_claim_write ALTER COLUMN record SET NOT NULL");
    String user = "service" + SCHEMAS.get();
    server.sql("CREATE USER " + user);
    server.sql("GRANT USAGE ON SCHEMA " + quoted() + " TO " + user);
    server.sql(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + quoted() + " TO " + user);
    try (HikariDataSource service = poolOf(user)) {
      try (RecordStore store = PostgresStore.open(service, settings)) {
        StoredRecord there = write(store, DB);
        assertThat(store.read(KEY)).contains(there);
        assertThatExceptionOfType(RecordStoreException.class)
            .isThrownBy(
                () -> store.write(new RecordWrite(KEY, Optional.of(there), Optional.empty())))
            .withMessageEndingWith("Let the owner of the tables update them with tables.sql.");
      }
      server.sql("ALTER TABLE " + quoted() + ".csi4j_claim_store DROP COLUMN home");
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> PostgresStore.open(service, settings))
          .withMessageContaining("the database reports 42501 'ERROR: ")
          .withMessageEndingWith("let their owner run tables.sql.");
    }
  }

  @Test
  void aClosedStoreSaysSo() {
    RecordStore store = open();
    store.close();
    RecordStoreException refusal =
        catchThrowableOfType(RecordStoreException.class, () -> store.read(KEY));
    assertThat(refusal.reason()).isEqualTo(Reason.CLOSED);
    assertThat(refusal)
        .hasMessage("Reading CLAIMS/default/db failed: the store was closed here. Open it again.");
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
