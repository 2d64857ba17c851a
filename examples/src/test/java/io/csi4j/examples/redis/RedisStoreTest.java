package io.csi4j.examples.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.RecordStoreChecks;
import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.volume.model.ReasonText;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

@RedisTest
class RedisStoreTest {

  private static final RecordKey DB = RecordKey.of(Space.CLAIMS, VolumeKey.of("db"));
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final AtomicInteger PREFIXES = new AtomicInteger();

  @TempDir static Path directory;

  private static RedisServer shared;

  @TempDir Path own;

  @BeforeAll
  static void startOne() {
    shared = RedisServer.start(directory, RedisServer.DURABLE);
  }

  @AfterAll
  static void stopIt() {
    shared.close();
  }

  private record Prefixes(boolean losesNothing) implements RecordStoreFixture {

    @Override
    public Place place() {
      RedisSettings lossy = shared.settings("store-" + PREFIXES.incrementAndGet());
      RedisSettings settings = losesNothing ? lossy.losingNothingOnRestart() : lossy;
      return new Place() {
        @Override
        public RecordStore open() {
          return RedisStore.open(settings);
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
  Stream<DynamicTest> aStoreInRedisKeepsItsGuarantees() {
    return RecordStoreChecks.of(new Prefixes(false)).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @TestFactory
  Stream<DynamicTest> aStoreInRedisThatLosesNothingKeepsItsGuarantees() {
    return RecordStoreChecks.of(new Prefixes(true)).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  private static RecordWrite write(Optional<StoredRecord> seen, String text) {
    return new RecordWrite(DB, seen, Optional.of(StateValue.of(text.getBytes(UTF_8))));
  }

  private static StoredRecord written(RecordStore store, Optional<StoredRecord> seen, String text) {
    return ((WriteResult.Written) store.write(write(seen, text))).now().get(0);
  }

  private static void isRefused(Supplier<?> call, Reason reason, String message) {
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(call::get)
        .withMessage(message)
        .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void aServerThatLostItsWritesIsAnotherStoreUntilAPersonHasSettledIt() throws Exception {
    try (RedisServer server = RedisServer.start(own, RedisServer.IN_MEMORY);
        RedisStore store = RedisStore.open(server.settings("a"));
        Watch watch = store.watch(Space.CLAIMS)) {
      StoreIdentity before = store.identity();
      StoredRecord first = written(store, Optional.empty(), "first");
      assertThat(watch.next(SOON)).contains(new Change.Written(first));

      server.restart();

      assertThat(watch.next(SOON))
          .contains(
              new Change.Missed(
                  new ReasonText(
                      "Redis has another identity than before, or was restored to an "
                          + "older state")));
      assertThat(store.read(DB)).isEmpty();
      assertThat(store.identity())
          .isEqualTo(new StoreIdentity("redis, without the mark of a store"));
      assertThat(store.uncertainty(DB))
          .contains(
              new ReasonText(
                  "Redis is at version 0, and was at 1 before: an older copy of it was restored"));
      assertThat(store.write(write(Optional.empty(), "late")))
          .isEqualTo(new WriteResult.Conflict(List.of()));
      isRefused(
          store::settle,
          Reason.IN_DOUBT,
          "Settling the store failed: Redis is at version 0, and was at 1 before: an older copy of"
              + " it was restored. Start this process again, and settle the store then if it"
              + " accepts no writes.");
      assertThat(before).isNotEqualTo(store.identity());
    }
  }

  @Test
  void aServerThatWasStartedAgainWithItsRecordsIsReadOnlyUntilAPersonHasSettledIt() {
    try (RedisServer server = RedisServer.start(own, RedisServer.DURABLE)) {
      StoredRecord first;
      StoreIdentity before;
      RedisSettings settings = server.settings("a");
      try (RedisStore store = RedisStore.open(settings)) {
        first = written(store, Optional.empty(), "first");
        before = store.identity();
        server.restart();
        assertThat(store.read(DB)).contains(first);
        assertThat(store.identity()).isNotEqualTo(before);
        assertThat(store.write(write(Optional.of(first), "late")))
            .isEqualTo(new WriteResult.Conflict(List.of(first)));
      }
      try (RedisStore next = RedisStore.open(settings);
          RedisStore other = RedisStore.open(settings)) {
        String problem =
            "Redis was restarted, or another instance took over, after the store was settled, so"
                + " it may have lost writes";
        assertThat(next.readOnly()).contains(new ReasonText(problem));
        isRefused(
            () -> next.write(write(Optional.of(first), "late")),
            Reason.IN_DOUBT,
            "Writing CLAIMS/default/db failed: "
                + problem
                + ". Compare its claims with what the nodes have mounted, then call"
                + " RedisStore.settle().");

        StoreIdentity settled = next.settle();

        assertThat(settled).isNotEqualTo(before).isEqualTo(next.identity());
        StoredRecord second = written(next, Optional.of(first), "second");
        assertThat(second.version()).isGreaterThan(first.version());
        assertThat(written(other, Optional.of(second), "third").version())
            .isGreaterThan(second.version());
        assertThat(other.identity()).isEqualTo(settled);
        assertThat(other.readOnly()).isEmpty();
        assertThat(next.settle()).isEqualTo(settled);
      }
    }
  }

  @Test
  void aServerWithEachWriteOnTheDiskStaysTheSameStoreAfterACrash() throws Exception {
    try (RedisServer server = RedisServer.start(own, RedisServer.DURABLE);
        RedisStore store = RedisStore.open(server.settings("a").losingNothingOnRestart());
        Watch watch = store.watch(Space.CLAIMS)) {
      StoreIdentity before = store.identity();
      StoredRecord at = written(store, Optional.empty(), "0");
      for (int i = 1; i < 20; i++) {
        at = written(store, Optional.of(at), "" + i);
      }

      server.restart();

      assertThat(store.read(DB)).contains(at);
      StoredRecord next = written(store, Optional.of(at), "next");
      assertThat(next.version()).isEqualTo(at.version() + 1);
      assertThat(store.identity()).isEqualTo(before);
      assertThat(store.readOnly()).isEmpty();
      for (long version = 1; version <= next.version(); version++) {
        assertThat(((Change.Written) watch.next(SOON).orElseThrow()).now().version())
            .isEqualTo(version);
      }
    }
  }

  @Test
  void aWriteToAServerThatIsGoneIsNotKnownAndTheNextIsRefused() {
    try (RedisServer server = RedisServer.start(own, RedisServer.DURABLE);
        RedisStore store = RedisStore.open(server.settings("a"))) {
      StoredRecord first = written(store, Optional.empty(), "first");
      server.kill();

      assertThat(store.write(write(Optional.of(first), "next")))
          .isInstanceOf(WriteResult.Unknown.class);
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> store.write(write(Optional.of(first), "next")))
          .withMessageStartingWith("Writing CLAIMS/default/db failed: Redis at ")
          .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
    }
  }

  @Test
  void aServerThatLosesWritesOrRemovesRecordsIsRefused() {
    try (RedisServer server = RedisServer.start(own, RedisServer.IN_MEMORY)) {
      isRefused(
          () -> RedisStore.open(server.settings("a").losingNothingOnRestart()),
          Reason.IN_DOUBT,
          "Opening the store failed: Redis loses writes when it restarts (appendonly no,"
              + " appendfsync everysec). Set appendonly yes and appendfsync always, or open the"
              + " store without losesNothingOnRestart.");
      server.ask("CONFIG", "SET", "no-appendfsync-on-rewrite", "yes");
      isRefused(
          () -> RedisStore.open(server.settings("a").losingNothingOnRestart()),
          Reason.IN_DOUBT,
          "Opening the store failed: Redis does not sync its log while it rewrites it"
              + " (no-appendfsync-on-rewrite yes). Set no-appendfsync-on-rewrite no, or open the"
              + " store without losesNothingOnRestart.");
      server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      isRefused(
          () -> RedisStore.open(server.settings("a")),
          Reason.IN_DOUBT,
          "Opening the store failed: Redis removes records when its memory is full"
              + " (maxmemory-policy allkeys-lru). Set maxmemory-policy noeviction.");
    }
  }

  @Test
  void aReplicaAnswersNothing() {
    try (RedisServer server = RedisServer.start(own, RedisServer.IN_MEMORY);
        RedisStore store = RedisStore.open(server.settings("a"))) {
      StoredRecord first = written(store, Optional.empty(), "first");
      server.ask("REPLICAOF", shared.address().getHostString(), "" + shared.address().getPort());

      isRefused(
          () -> store.read(DB),
          Reason.UNAVAILABLE,
          "Reading CLAIMS/default/db failed: Redis says 'READONLY this server is a replica'. Check"
              + " that the primary runs and is reachable.");
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> store.write(write(Optional.of(first), "next")))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
    }
  }

  @Test
  void recordsWithoutAMarkAreReadOnlyAndVersionsGoOnBehindThem() {
    RedisSettings settings = shared.settings("marks");
    StoredRecord at;
    try (RedisStore store = RedisStore.open(settings)) {
      at = written(store, Optional.of(written(store, Optional.empty(), "first")), "second");
    }
    shared.ask("DEL", "{marks}:store");
    try (RedisStore store = RedisStore.open(settings)) {
      assertThat(store.readOnly()).contains(new ReasonText("it has records, but no mark"));
      assertThat(store.read(DB)).contains(at);

      StoreIdentity settled = store.settle();

      assertThat(store.identity()).isEqualTo(settled);
      assertThat(written(store, Optional.of(at), "third").version())
          .isGreaterThan(at.version() + 1);
    }
  }

  @Test
  void aWatchReportsWhatTheLogDoesNotHave() throws Exception {
    try (RedisStore store = RedisStore.open(shared.settings("gap"));
        Watch watch = store.watch(Space.CLAIMS)) {
      StoredRecord first = written(store, Optional.empty(), "first");
      assertThat(watch.next(SOON)).contains(new Change.Written(first));
      shared.ask("HINCRBY", "{gap}:store", "version", "5");

      assertThat(watch.next(SOON))
          .contains(
              new Change.Missed(new ReasonText("more was written than Redis keeps for watches")));
      StoredRecord second = written(store, Optional.of(first), "second");
      assertThat(second.version()).isEqualTo(first.version() + 6);
      assertThat(watch.next(SOON)).contains(new Change.Written(second));
    }
  }

  @Test
  void anEntryBeyondTheStoreIsNotShownAndGivesWayToTheTrueOnes() throws Exception {
    try (RedisStore store = RedisStore.open(shared.settings("log"));
        Watch watch = store.watch(Space.CLAIMS)) {
      StoredRecord first = written(store, Optional.empty(), "first");
      assertThat(watch.next(SOON)).contains(new Change.Written(first));
      shared.ask("XADD", "{log}:log", "99999-1", "s", "1", "n", "foreign");

      StoredRecord second = written(store, Optional.of(first), "second");
      assertThat(watch.next(SOON)).contains(new Change.Written(second));
      StoredRecord third = written(store, Optional.of(second), "third");
      assertThat(watch.next(SOON)).contains(new Change.Written(third));
    }
  }

  @Test
  void aRecordThatSomethingElseWroteIsShownWithoutAVersionAndHidesNoOther() {
    try (RedisStore store = RedisStore.open(shared.settings("foreign"))) {
      StoredRecord first = written(store, Optional.empty(), "first");
      shared.ask("HSET", "{foreign}:records:claims", "x", "hello");
      shared.ask("ZADD", "{foreign}:names:claims", "0", "x");

      assertThat(store.scan(Space.CLAIMS, Optional.empty(), 10).records())
          .containsExactly(
              first, StoredRecord.of(new RecordKey(Space.CLAIMS, "x"), 0, "hello".getBytes(UTF_8)));
    }
  }
}
