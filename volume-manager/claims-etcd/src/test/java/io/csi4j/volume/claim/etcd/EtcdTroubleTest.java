package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
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
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What befalls a real etcd, and the line to it. */
@Isolated("Counts threads.")
@EtcdTest
class EtcdTroubleTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final ByteSequence DB_KEY =
      ByteSequence.from("/csi4j/claims/default\u001fdb", StandardCharsets.UTF_8);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);

  private static final RecordWrite FIRST =
      new RecordWrite(
          ClaimCodec.key(DB),
          Optional.empty(),
          Optional.of(
              StateValue.of(
                  new ClaimCodec().encode(claim(DB, 1), new UUID(1, 2), UnknownFields.NONE))));

  private EtcdServer server;
  private CutLine line;

  @BeforeEach
  void start(@TempDir Path directory) {
    server = EtcdServer.start(directory, "--quota-backend-bytes=8388608");
    line = CutLine.to(server);
  }

  @AfterEach
  void stop() {
    line.close();
    server.close();
  }

  private EtcdStore open() {
    return open(server.endpoint());
  }

  private static EtcdStore open(URI endpoint) {
    return EtcdStore.open(EtcdSettings.of(endpoint));
  }

  /** One that is not waited for long. */
  private static EtcdStore openHastily(URI endpoint) {
    return EtcdStore.open(EtcdSettings.builder(endpoint).deadline(Duration.ofMillis(700)).build());
  }

  private static StoredRecord write(RecordStore store, VolumeKey volume) {
    StoredClaims claims = StoredClaims.in(store);
    return claims.write(claim(volume, claims.claim(volume).epoch() + 1)).stored().orElseThrow();
  }

  /** Writes a claim where none is. */
  private static WriteResult first(RecordStore store) {
    return store.write(FIRST);
  }

  private static Optional<StoredRecord> read(RecordStore store) {
    return store.read(ClaimCodec.key(DB));
  }

  private static long epoch(RecordStore store) {
    return StoredClaims.in(store).claim(DB).epoch();
  }

  private static Claim claim(VolumeKey volume, long epoch) {
    return new Claim(
        volume, Optional.empty(), Collections.emptySortedMap(), epoch, Optional.empty());
  }

  private static ClaimRequest wish(String workload, String node) {
    return ClaimRequest.builder(
            VolumeUse.of(DB, WorkloadId.of(workload)),
            NodeName.of(node),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  /** Asks until the store answers again. */
  private static <T> T atLast(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (RecordStoreException notYet) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  // ---- etcd goes away and comes back

  @Test
  void whatIsWrittenOutlivesEtcd() {
    try (EtcdStore store = open()) {
      StoredRecord now = write(store, DB);

      server.kill();
      assertThat(catchThrowableOfType(RecordStoreException.class, () -> read(store)).reason())
          .isEqualTo(Reason.UNAVAILABLE);
      server.start();

      assertThat(atLast(() -> read(store))).contains(now);
      assertThat(store.uncertainty(ClaimCodec.key(DB))).isEmpty();
      assertThat(write(store, DB).version()).isGreaterThan(now.version());
    }
  }

  @Test
  void aWriteThatMeetsNobodyIsUnknownAndNeverAFailure() {
    try (EtcdStore store = open()) {
      server.kill();

      assertThat(first(store))
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText(
                      "etcd at " + server.endpoint() + " cannot be reached, or has no leader")));
    }
  }

  @Test
  void aStoreThatStandsStillIsUnknownToWritersAndDownForReaders() {
    try (EtcdStore store = openHastily(server.endpoint())) {
      StoredRecord there = write(store, DB);
      server.pause();

      WriteResult result =
          store.write(
              new RecordWrite(
                  there.key(),
                  Optional.of(there),
                  Optional.of(
                      StateValue.of(
                          new ClaimCodec()
                              .encode(claim(DB, 2), new UUID(3, 4), UnknownFields.NONE)))));
      RecordStoreException failure =
          catchThrowableOfType(RecordStoreException.class, () -> read(store));
      server.resume();

      assertThat(result)
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText(
                      "etcd at " + server.endpoint() + " did not answer within 700 ms")));
      assertThat(failure)
          .hasMessage(
              "Reading CLAIMS/default/db failed: etcd at "
                  + server.endpoint()
                  + " did not answer within 700 ms. Check that etcd runs, and that this host can"
                  + " reach it, with TLS if etcd requires it.");
      assertThat(atLast(() -> epoch(store))).isBetween(1L, 2L);
    }
  }

  @Test
  @Tag("K1")
  void aWriteWhoseAnswerIsLostIsUnknownAndFoundByItsMark() throws InterruptedException {
    try (EtcdStore other = open();
        EtcdStore store = openHastily(line.endpoint())) {
      line.swallowAnswers();

      WriteResult result = first(store);
      line.awaitSwallowed();

      assertThat(result)
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText("etcd at " + line.endpoint() + " did not answer within 700 ms")));
      assertThat(FIRST.isMade(read(other))).as("K1: found by its mark").isTrue();
      line.cut();
      line.mend();
      assertThat(atLast(() -> read(store))).isEqualTo(read(other));
    }
  }

  @Test
  void aTryThatIsMadeTwiceIsNoConflictWithItself() {
    try (EtcdStore store = open()) {
      WriteResult first = RecordValues.write(store, List.of(FIRST));

      assertThat(RecordValues.write(store, List.of(FIRST))).isEqualTo(first);
      assertThat(first).isInstanceOf(WriteResult.Written.class);
    }
  }

  @Test
  void aFullEtcdMayHaveWrittenWhatItRefuses() {
    try (EtcdStore store = open();
        Client client = Client.builder().endpoints(server.endpoint()).build()) {
      ByteSequence value = ByteSequence.from(new byte[1 << 20]);
      ByteSequence key = ByteSequence.from("filler", StandardCharsets.UTF_8);
      WriteResult result = new WriteResult.Unknown(new ReasonText("not tried yet"));
      for (int i = 0; i < 64; i++) {
        try {
          client.getKVClient().put(key, value).join();
        } catch (RuntimeException full) {
          assertThat(full).hasStackTraceContaining("RESOURCE_EXHAUSTED");
          result = first(store);
          break;
        }
      }

      assertThat(result)
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText(
                      "etcd at "
                          + server.endpoint()
                          + " has exhausted its space quota, or is overloaded")));
    }
  }

  // ---- another etcd than it was

  @Test
  void fromAnEmptiedEtcdNothingIsClaimed() {
    try (EtcdStore store = open()) {
      StoreIdentity before = store.identity();
      ClaimBook book = new ClaimBook(store, CLOCK);
      book.claim(wish("web", "n1"));

      server.wipe();
      atLast(() -> read(store));

      ClaimException failure =
          catchThrowableOfType(ClaimException.class, () -> book.claim(wish("job", "n2")));
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
      assertThat(failure.operatorMessage().seen().text())
          .isEqualTo("it is store '" + store.identity() + "' now, but was '" + before + "'");
      assertThat(store.identity()).isNotEqualTo(before);
    }
  }

  private static VolumeUse use(String workload) {
    return VolumeUse.of(DB, WorkloadId.of(workload));
  }

  @Test
  void intoAnEmptiedEtcdNothingIsWrittenThatWasMeantForTheOther() {
    try (EtcdStore store = open()) {
      server.wipe();

      WriteResult result =
          atLast(
              () -> {
                WriteResult now = first(store);
                if (now instanceof WriteResult.Unknown) {
                  throw new RecordStoreException("not yet", new IllegalStateException());
                }
                return now;
              });

      assertThat(result).isEqualTo(new WriteResult.Conflict(List.of()));
      try (EtcdStore next = open()) {
        assertThat(read(next)).isEmpty();
        assertThat(next.identity()).isNotEqualTo(store.identity());
      }
    }
  }

  @Test
  @Tag("K7")
  void fromAnEtcdRestoredFromAnOlderCopyNothingIsClaimedButClaimsAreGivenBack() {
    try (EtcdStore store = open()) {
      ClaimBook book = new ClaimBook(store, CLOCK);
      book.claim(wish("web", "n1"));
      StoreIdentity before = store.identity();
      server.backUp();
      VolumeKey other = VolumeKey.of("other");
      long lost = atLast(() -> write(store, other)).version();

      server.putBack();
      atLast(() -> read(store));

      ClaimException failure =
          catchThrowableOfType(ClaimException.class, () -> book.claim(wish("job", "n2")));
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(failure.code())
          .as("K7: an older copy is claimed nothing from")
          .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
      assertThat(store.uncertainty(ClaimCodec.key(DB)))
          .contains(
              new ReasonText(
                  "etcd is at revision "
                      + (lost - 1)
                      + ", and was at "
                      + lost
                      + " before: an older copy of it was restored"));
      assertThat(store.identity()).isEqualTo(before);
      assertThat(book.advance(use("web"), ClaimHolder.State.UNPUBLISHING).orElseThrow().state())
          .isEqualTo(ClaimHolder.State.UNPUBLISHING);
    }
  }

  @Test
  void whoeverDeletesTheMarkMakesItAnotherStore() {
    try (EtcdStore store = open();
        Client client = Client.builder().endpoints(server.endpoint()).build()) {
      StoreIdentity before = store.identity();
      client.getKVClient().delete(ByteSequence.from("/csi4j/store", StandardCharsets.UTF_8)).join();

      read(store);

      assertThat(store.identity().value()).endsWith(", without the mark of a store");
      assertThat(first(store)).isInstanceOf(WriteResult.Conflict.class);
      try (EtcdStore next = open()) {
        assertThat(next.identity()).isNotEqualTo(before).isNotEqualTo(store.identity());
      }
    }
  }

  private static void isReadOnly(EtcdStore store, String why) {
    ClaimBook book = new ClaimBook(store, CLOCK);
    for (Runnable change :
        List.<Runnable>of(
            () -> book.claim(wish("job", "n3")),
            () -> book.claim(wish("web", "n1")),
            () -> book.standing(use("web"), 1))) {
      ClaimException failure = catchThrowableOfType(ClaimException.class, change::run);
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
      assertThat(failure.operatorMessage().seen().text()).isEqualTo(why);
    }
    ClaimException release =
        catchThrowableOfType(
            ClaimException.class, () -> book.advance(use("web"), ClaimHolder.State.UNPUBLISHING));
    assertThat(release.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(release)
        .hasMessageContaining(
            "Writing CLAIMS/default/db failed: "
                + why
                + ". Compare its claims with what the nodes have mounted, then accept it"
                + " with 'csi4j store accept' or EtcdStore.settle();");
    assertThat(catchThrowableOfType(RecordStoreException.class, () -> first(store)).reason())
        .isEqualTo(Reason.IN_DOUBT);
    assertThat(book.read(DB).holder(WorkloadId.of("web"))).as("it is read").isPresent();
  }

  @Test
  @Tag("K7")
  void aProcessThatIsStartedOnARestoredEtcdWritesNothingBeforeAPersonHasSettledIt() {
    try (EtcdStore before = open()) {
      assertThat(new ClaimBook(before, CLOCK).claim(wish("web", "n1")).epoch()).isEqualTo(1);
    }
    server.backUp();
    server.restore();
    try (EtcdStore store = open();
        EtcdStore other = open()) {
      ClaimBook waiting = new ClaimBook(store, CLOCK);
      ClaimBook elsewhere = new ClaimBook(other, CLOCK);
      String why = "it has records but no mark, like a restored older copy";
      assertThat(store.readOnly())
          .as("K7: a copy is read-only to who is started on it")
          .contains(new ReasonText(why));
      isReadOnly(store, why);

      StoreIdentity settled = store.settle();

      assertThat(store.readOnly()).isEmpty();
      assertThat(store.identity()).isEqualTo(settled);
      for (ClaimBook book : List.of(waiting, elsewhere)) {
        assertThat(
                catchThrowableOfType(ClaimException.class, () -> book.claim(wish("job", "n3")))
                    .code())
            .as("taken again, without another start")
            .isEqualTo(OperatorCode.CLAIM_HELD_BY);
      }
      assertThat(elsewhere.advance(use("web"), ClaimHolder.State.UNPUBLISHING)).isPresent();
      assertThat(other.settle()).as("once for all").isEqualTo(settled);
      try (EtcdStore next = open()) {
        assertThat(next.identity()).isEqualTo(settled);
        assertThat(next.readOnly()).isEmpty();
      }
    }
  }

  @Test
  void aReleaseInAProcessThatWaitsGoesOnOnceAnotherProcessHasSettledTheStore() {
    try (EtcdStore before = open()) {
      new ClaimBook(before, CLOCK).claim(wish("web", "n1"));
    }
    server.deleteMark("/csi4j/store");
    try (EtcdStore store = open();
        EtcdStore other = open()) {
      Seen<Claim> there = StoredClaims.in(other).read(DB);
      other.settle();

      assertThat(StoredClaims.in(store).attempt(there, claim(DB, 2)))
          .isInstanceOf(WriteResult.Written.class);
    }
  }

  @Test
  void aProcessThatKnewTheStoreBeforeIsStartedAgainBeforeItSettles() {
    try (EtcdStore store = open()) {
      write(store, DB);
      StoreIdentity before = store.identity();
      server.deleteMark("/csi4j/store");
      read(store);

      RecordStoreException refusal =
          catchThrowableOfType(RecordStoreException.class, store::settle);

      assertThat(refusal)
          .hasMessage(
              "Settling the store failed: it is store '"
                  + store.identity()
                  + "' now, but was '"
                  + before
                  + "'. Start this process again, and settle the store then if it accepts no"
                  + " writes.");
      assertThat(refusal.reason()).isEqualTo(Reason.IN_DOUBT);
    }
  }

  @Test
  void aStoreThatIsNotTheConfiguredOneIsReadOnlyAlsoIfItIsEmpty() {
    StoreIdentity known;
    try (EtcdStore store = open()) {
      known = store.identity();
    }
    EtcdSettings configured = EtcdSettings.builder(server.endpoint()).identity(known).build();
    try (EtcdStore store = EtcdStore.open(configured)) {
      assertThat(store.readOnly()).isEmpty();
      assertThat(store.settle()).as("nothing to settle").isEqualTo(known);
    }
    server.wipe();
    try (EtcdStore store = EtcdStore.open(configured)) {
      String empty = store.identity().value();
      assertThat(empty).endsWith(", without the mark of a store");
      assertThat(store.readOnly())
          .contains(
              new ReasonText(
                  "it is store '"
                      + empty
                      + "', and this process is configured with '"
                      + known
                      + "'"));
      try (EtcdStore other = open()) {
        new ClaimBook(other, CLOCK).claim(wish("web", "n1"));
        read(store);
        isReadOnly(
            store,
            "it is store '" + empty + "', and this process is configured with '" + known + "'");

        assertThat(store.settle()).isEqualTo(other.identity());
        assertThat(new ClaimBook(store, CLOCK).claim(wish("web", "n1")).epoch()).isEqualTo(1);
      }
    }
  }

  // ---- watching

  @Test
  void aWatchWhoseLineWasCutGoesOnWhereItWas() throws InterruptedException {
    try (EtcdStore store = open();
        EtcdStore far = open(line.endpoint());
        Watch watch = far.watch(Space.CLAIMS)) {
      StoredRecord first = write(store, DB);
      assertThat(watch.next(LONG)).contains(new Change.Written(first));

      line.cut();
      StoredRecord second = write(store, DB);
      StoredRecord third = write(store, DB);
      line.mend();

      assertThat(watch.next(LONG)).contains(new Change.Written(second));
      assertThat(watch.next(LONG)).contains(new Change.Written(third));
      StoredRecord fourth = write(store, DB);
      assertThat(watch.next(LONG)).contains(new Change.Written(fourth));
    }
  }

  @Test
  void aWatchGoesOnAfterEtcdWasStartedAgain() throws InterruptedException {
    try (EtcdStore store = open();
        Watch watch = store.watch(Space.CLAIMS)) {
      server.kill();
      server.start();
      StoredRecord now = atLast(() -> write(store, DB));

      assertThat(watch.next(LONG)).contains(new Change.Written(now));
    }
  }

  @Test
  void aWatchWhoseHistoryWasThrownAwaySaysThatItMissedSome() throws InterruptedException {
    try (EtcdStore store = open();
        EtcdStore far = open(line.endpoint());
        Client client = Client.builder().endpoints(server.endpoint()).build();
        Watch watch = far.watch(Space.CLAIMS)) {
      assertThat(watch.next(Duration.ZERO)).isEmpty();
      StoredRecord seen = write(store, DB);
      assertThat(watch.next(LONG)).contains(new Change.Written(seen));
      line.cut();
      write(store, DB);
      write(store, DB);
      client.getKVClient().compact(write(store, DB).version()).join();
      line.mend();

      assertThat(watch.next(LONG))
          .contains(
              new Change.Missed(
                  new ReasonText("etcd has discarded a part of its history meanwhile")));
      StoredRecord now = write(store, DB);
      assertThat(watch.next(LONG)).contains(new Change.Written(now));
    }
  }

  @Test
  void aWatchOfAnEmptiedEtcdSaysThatItMissedSome() throws InterruptedException {
    try (EtcdStore store = open();
        Watch watch = store.watch(Space.CLAIMS)) {
      for (int i = 0; i < 5; i++) {
        StoredRecord now = write(store, DB);
        assertThat(watch.next(LONG)).contains(new Change.Written(now));
      }

      server.wipe();

      assertThat(watch.next(LONG))
          .contains(
              new Change.Missed(
                  new ReasonText(
                      "etcd has another identity than before, or was restored to an "
                          + "older state")));
      try (EtcdStore next = open()) {
        StoredRecord now = write(next, DB);
        assertThat(watch.next(LONG)).contains(new Change.Written(now));
      }
    }
  }

  @Test
  void aClaimDeletedFromOutsideIsRemoved() throws InterruptedException {
    try (EtcdStore store = open();
        Client client = Client.builder().endpoints(server.endpoint()).build();
        Watch watch = store.watch(Space.CLAIMS)) {
      StoredRecord there = write(store, DB);
      assertThat(watch.next(LONG)).contains(new Change.Written(there));
      client.getKVClient().delete(DB_KEY).join();

      assertThat(watch.next(LONG))
          .hasValueSatisfying(
              change ->
                  assertThat(change)
                      .isEqualTo(new Change.Removed(there.key(), there.version() + 1)));
    }
  }

  // ---- foreign keys, and the end

  @Test
  void aForeignKeyAmongTheClaimsIsNamed() {
    try (EtcdStore store = open();
        Client client = Client.builder().endpoints(server.endpoint()).build()) {
      client
          .getKVClient()
          .put(
              ByteSequence.from("/csi4j/claims/x\u001fy", StandardCharsets.UTF_8),
              ByteSequence.from("hello", StandardCharsets.UTF_8))
          .join();

      ClaimPage page = new ClaimBook(store, CLOCK).page(Optional.empty(), 10);

      assertThat(page.claims()).isEmpty();
      assertThat(page.unreadable()).hasSize(1);
      assertThat(page.unreadable().get(0).volume()).contains(VolumeKey.of(Namespace.of("x"), "y"));
      assertThat(page.unreadable().get(0).problem())
          .startsWith("Reading the claim of volume 'x/y' failed: ");
    }
  }

  @Test
  void theClaimOfAnotherVolumeUnderAKeyIsNamed() {
    try (EtcdStore store = open();
        Client client = Client.builder().endpoints(server.endpoint()).build()) {
      write(store, DB);
      client
          .getKVClient()
          .put(
              ByteSequence.from("/csi4j/claims/default\u001fcopy", StandardCharsets.UTF_8),
              raw(client))
          .join();

      RecordStoreException failure =
          catchThrowableOfType(
              RecordStoreException.class, () -> StoredClaims.in(store).read(VolumeKey.of("copy")));

      assertThat(failure.reason()).isEqualTo(Reason.UNREADABLE);
      assertThat(failure)
          .hasMessage(
              "Reading the claim of volume 'default/copy' failed: it is the claim of volume"
                  + " 'default/db'. Find out which program wrote it, and remove the record.");
    }
  }

  private static ByteSequence raw(Client client) {
    return client.getKVClient().get(DB_KEY).join().getKvs().get(0).getValue();
  }

  @Test
  void whatANewerVersionWroteWithAClaimIsKept() {
    UnknownFields newer = UnknownFields.of(HexFormat.of().parseHex("7a026869"));
    try (EtcdStore store = open();
        Client client = Client.builder().endpoints(server.endpoint()).build()) {
      byte[] bytes = new ClaimCodec().encode(claim(DB, 1), new UUID(1, 2), newer);
      client.getKVClient().put(DB_KEY, ByteSequence.from(bytes)).join();

      write(store, DB);

      Seen<Claim> now = StoredClaims.in(store).read(DB);
      assertThat(now.value().orElseThrow().epoch()).isEqualTo(2);
      assertThat(now.newer()).isEqualTo(newer);
    }
  }

  @Test
  void aClosedStoreSaysSoAndItsThreadsEnd() throws InterruptedException {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    EtcdStore store = open();
    Watch watch = store.watch(Space.CLAIMS);
    write(store, DB);
    assertThat(watch.next(LONG)).isPresent();
    assertThat(since(before)).isNotEmpty();

    store.close();

    assertThat(watch.next(LONG)).isEmpty();
    RecordStoreException failure =
        catchThrowableOfType(RecordStoreException.class, () -> read(store));
    assertThat(failure.reason()).isEqualTo(Reason.CLOSED);
    assertThat(failure)
        .hasMessage("Reading CLAIMS/default/db failed: the store was closed here. Open it again.");
    while (!since(before).isEmpty()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** The threads that are there since then, but those of the test and of the JVM. */
  private static List<String> since(Set<Thread> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread))
        .map(Thread::getName)
        .filter(name -> !name.startsWith("cut-line") && !name.startsWith("process reaper"))
        .toList();
  }

  @Test
  void anEtcdThatIsNotThereIsToldAtOpening() {
    server.kill();

    RecordStoreException failure = catchThrowableOfType(RecordStoreException.class, this::open);

    assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(failure)
        .hasMessage(
            "Opening the store failed: etcd at "
                + server.endpoint()
                + " cannot be reached, or has no leader. Check that etcd runs, and that this host"
                + " can reach it, with TLS if etcd requires it.");
  }
}
