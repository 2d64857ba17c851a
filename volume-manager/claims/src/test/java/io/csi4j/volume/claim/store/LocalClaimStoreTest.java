package io.csi4j.volume.claim.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimRecord;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateCapacity;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateOwner;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Stored;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.StoreIdentity;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store on a state does when the state fails, is damaged, or belongs to somebody else. */
class LocalClaimStoreTest {

  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey LOGS = VolumeKey.of("logs");

  private final MemoryMedium medium = MemoryMedium.create();

  private static VolumeUse usage(VolumeKey volume, String workload) {
    return VolumeUse.of(volume, WorkloadId.of(workload));
  }

  private static ClaimRequest wish(VolumeKey volume, String workload) {
    return ClaimRequest.builder(
            usage(volume, workload),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  private static ClaimBook book(ClaimStore store) {
    return new ClaimBook(store, CLOCK);
  }

  private static Claim claimed(VolumeKey volume, long epoch) {
    return new Claim(
        volume, Optional.empty(), Claim.none(volume).holders(), epoch, Optional.empty());
  }

  private static WriteToken token() {
    return new WriteToken(UUID.randomUUID());
  }

  private static Versioned write(ClaimStore store, Claim next) {
    Versioned before = store.read(next.volume());
    WriteResult result = store.compareAndSet(before.version(), next, token());
    return ((WriteResult.Written) result).now();
  }

  private static RecordStoreException refusal(Runnable work) {
    return catchThrowableOfType(RecordStoreException.class, work::run);
  }

  // ---- a state that fails

  @ParameterizedTest
  @EnumSource(
      value = StateReason.class,
      names = {"STATE_DISK_FULL", "STATE_READ_ONLY", "JOURNAL_SYNC_FAILED"})
  void aWriteThatTheMediumRefusedMayStillBeThereLater(StateReason reason)
      throws InterruptedException {
    try (LocalClaimStore store = LocalClaimStore.on(medium.open());
        ClaimWatch watch = store.watch()) {
      Versioned before = write(store, claimed(DB, 1));
      assertThat(watch.next(Duration.ZERO)).contains(new ClaimWatch.Change.Written(before));
      medium.refuse(reason);

      WriteResult result = store.compareAndSet(before.version(), claimed(DB, 2), token());

      assertThat(result)
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText(
                      "Recording an intent failed: the medium in memory was told to refuse ("
                          + reason
                          + "). Tell it to accept.")));
      assertThat(store.read(DB)).isEqualTo(before);
      assertThat(watch.next(Duration.ZERO)).as("nothing is told").isEmpty();
      medium.accept();
      Versioned after = write(store, claimed(DB, 3));
      assertThat(after.version().value())
          .as("the version of the try is used up")
          .isEqualTo(before.version().value() + 2);
    }
  }

  @Test
  void whoClaimsOnAFullDiskIsToldThatNobodyKnows() {
    try (LocalClaimStore store = LocalClaimStore.on(medium.open())) {
      ClaimBook book = book(store);
      medium.refuse(StateReason.STATE_DISK_FULL);

      ClaimException failure =
          catchThrowableOfType(ClaimException.class, () -> book.claim(wish(DB, "web")));

      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
      assertThat(failure.operatorMessage().seen().text())
          .isEqualTo(
              "Recording an intent failed: the medium in memory was told to refuse"
                  + " (STATE_DISK_FULL). Tell it to accept");
      medium.accept();
      assertThat(book.claim(wish(DB, "web")).epoch()).isEqualTo(1);
    }
  }

  @Test
  void aStateThatIsClosedUnderneathIsAClosedStore() {
    StateStore state = medium.open();
    LocalClaimStore store = LocalClaimStore.on(state);
    state.close();

    RecordStoreException refusal = refusal(() -> write(store, claimed(DB, 1)));

    assertThat(refusal.reason()).isEqualTo(Reason.CLOSED);
    assertThat(refusal)
        .hasMessage("Using the state in memory failed: the store is closed. Open it again.");
  }

  @Test
  void aStoreThatAnotherProcessTookOverShowsNothingAnyMore() throws InterruptedException {
    TakenState state = new TakenState(medium.open());
    try (LocalClaimStore store = LocalClaimStore.on(state);
        ClaimWatch watch = store.watch()) {
      Versioned before = write(store, claimed(DB, 1));
      assertThat(watch.next(Duration.ZERO)).contains(new ClaimWatch.Change.Written(before));
      state.taken = true;

      WriteResult result = store.compareAndSet(before.version(), claimed(DB, 2), token());

      assertThat(result).isEqualTo(new WriteResult.Unknown(new ReasonText(TakenState.TEXT)));
      for (Runnable use :
          List.<Runnable>of(
              () -> store.read(DB), () -> store.scan(Optional.empty(), 1), () -> store.watch())) {
        RecordStoreException refusal = refusal(use);
        assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
        assertThat(refusal).hasMessage(TakenState.TEXT);
      }
      assertThat(watch.next(Duration.ofHours(1))).as("it is over").isEmpty();
    }
  }

  /** A state that another process has, once it is told so. */
  private static final class TakenState implements StateStore {
    static final String TEXT = "Writing failed: process 7 took it over. End one of the two.";
    private final StateStore state;
    private boolean taken;

    TakenState(StateStore state) {
      this.state = state;
    }

    @Override
    public LoadedState load() {
      return state.load();
    }

    @Override
    public Stored put(StateKey key, StateValue value, Durability durability) {
      if (taken) {
        throw new StateException(StateReason.STATE_TAKEN_OVER, TEXT);
      }
      return state.put(key, value, durability);
    }

    @Override
    public Stored remove(StateKey key) {
      return state.remove(key);
    }

    @Override
    public Stored bury(StateKey volume, StateValue tombstone) {
      return state.bury(volume, tombstone);
    }

    @Override
    public Stored settle() {
      return state.settle();
    }

    @Override
    public StateCapacity capacity() {
      return state.capacity();
    }

    @Override
    public StateOwner owner() {
      return state.owner();
    }

    @Override
    public void close() {
      state.close();
    }
  }

  @Test
  void aNewStoreThatCannotBeWrittenIsNotOpenedAndItsStateIsLetGo() {
    medium.refuse(StateReason.STATE_READ_ONLY);

    RecordStoreException refusal = refusal(() -> LocalClaimStore.on(medium.open()).close());

    assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refusal)
        .hasMessageContaining("told to refuse (STATE_READ_ONLY)")
        .hasCauseInstanceOf(StateException.class);
    medium.accept();
    LocalClaimStore.on(medium.open()).close();
  }

  // ---- a state of somebody else

  @Test
  void theStateOfAVolumeManagerIsRefusedAndStaysOpen() {
    StateStore state = medium.open();
    state.put(StateKey.volume("v1"), StateValue.of(new byte[1]), Durability.REQUIRED);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> LocalClaimStore.on(state))
        .withMessage(
            "The state holds VOLUME/v1, so it is that of a volume manager. Give the state of a"
                + " LocalClaimStore, which holds claims alone.");
    assertThat(state.load().values()).hasSize(1);
  }

  @Test
  void aStateThatAnotherHasOpenIsRefusedByItsOwner(@TempDir Path directory) {
    Path claims = directory.resolve("claims");
    try (LocalClaimStore first = LocalClaimStore.open(claims)) {
      RecordStoreException refusal = refusal(() -> LocalClaimStore.open(claims).close());

      assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
      assertThat(((StateException) refusal.getCause()).reason())
          .isEqualTo(StateReason.STATE_IN_USE);
      assertThat(first.read(DB).version()).isEqualTo(ClaimVersion.NEVER);
    }
  }

  @Test
  void claimsOfWhichNobodyKnowsTheStoreAreRefused() {
    LocalClaimStore store = LocalClaimStore.on(medium.open());
    Versioned there = write(store, claimed(DB, 1));
    store.close();
    try (StateStore state = medium.open()) {
      state.remove(StateKey.claim("identity"));
    }

    RecordStoreException refusal = refusal(() -> LocalClaimStore.on(medium.open()).close());

    assertThat(there.claim().epoch()).isEqualTo(1);
    assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
    assertThat(refusal)
        .hasMessage(
            "Opening the store of claims failed: its state has claims and does not say which store"
                + " it is. Find out who wrote it.");
  }

  // ---- what a newer version wrote

  private void put(StateKey key, String hex) {
    try (StateStore state = medium.open()) {
      state.put(key, StateValue.of(HexFormat.of().parseHex(hex)), Durability.REQUIRED);
    }
  }

  @Test
  void aClaimInANewerFormatIsNeitherReadNorOverwritten() {
    LocalClaimStore old = LocalClaimStore.on(medium.open());
    Versioned logs = write(old, claimed(LOGS, 1));
    old.close();
    put(LocalClaimStore.key(DB), "0803");

    try (LocalClaimStore store = LocalClaimStore.on(medium.open())) {
      String told =
          "Reading the claim of volume 'default/db' failed: It has format 3, and this version reads"
              + " format 1 to 2. Run the version of csi4j that wrote it, or a later one.";
      for (Runnable use :
          List.<Runnable>of(
              () -> store.read(DB),
              () -> store.compareAndSet(ClaimVersion.NEVER, claimed(DB, 9), token()))) {
        RecordStoreException refusal = refusal(use);
        assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
        assertThat(refusal).hasMessage(told);
      }
      String key = LocalClaimStore.key(DB).toString();
      assertThat(store.scan(Optional.empty(), 10))
          .isEqualTo(
              new ClaimPage(
                  List.of(logs),
                  List.of(
                      new ClaimPage.Unreadable(
                          key,
                          Optional.empty(),
                          told.replace("of volume 'default/db'", "under the key '" + key + "'"))),
                  Optional.empty()));
      assertThat(store.read(LOGS)).as("the others are").isEqualTo(logs);
      ClaimException failure =
          catchThrowableOfType(ClaimException.class, () -> book(store).claim(wish(DB, "web")));
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNREADABLE);
    }
  }

  @Test
  void eachClaimThatCannotBeReadIsOnOnePageOfAll() {
    LocalClaimStore old = LocalClaimStore.on(medium.open());
    Versioned db = write(old, claimed(DB, 1));
    Versioned logs = write(old, claimed(LOGS, 1));
    write(old, claimed(VolumeKey.of("web"), 1));
    write(old, claimed(VolumeKey.of("away"), 1));
    old.close();
    DamagedClaims.inANewerFormat(medium, VolumeKey.of("web"));
    DamagedClaims.altogether(medium, VolumeKey.of("away"));

    try (LocalClaimStore store = LocalClaimStore.on(medium.open())) {
      ClaimPage first = store.scan(Optional.empty(), 1);
      ClaimPage second = store.scan(first.next(), 1);

      assertThat(first.claims()).containsExactly(db);
      assertThat(first.unreadable())
          .extracting(ClaimPage.Unreadable::volume)
          .containsExactlyInAnyOrder(Optional.of(VolumeKey.of("web")), Optional.empty());
      assertThat(second).isEqualTo(new ClaimPage(List.of(logs), List.of(), Optional.of(LOGS)));
      assertThat(store.scan(second.next(), 1))
          .isEqualTo(new ClaimPage(List.of(), List.of(), Optional.empty()));
    }
  }

  @Test
  void aStoreWhoseIdentityIsInANewerFormatIsNotOpened() {
    put(StateKey.claim("identity"), "0802");

    RecordStoreException refusal = refusal(() -> LocalClaimStore.on(medium.open()).close());

    assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
    assertThat(refusal)
        .hasMessage(
            "Reading the identity of the store of claims failed: It has format 2, and this version"
                + " reads format 1. Run the version of csi4j that wrote it, or a later one.");
  }

  @Test
  @Tag("G9")
  void whatANewerVersionWroteWithAClaimIsKept() throws Exception {
    LocalClaimStore.on(medium.open()).close();
    UnknownFields newer = UnknownFields.of(HexFormat.of().parseHex("7a026869"));
    ClaimRecord theirs = new ClaimRecord(claimed(DB, 1), token(), new ClaimVersion(7), newer);
    put(LocalClaimStore.key(DB), HexFormat.of().formatHex(ClaimCodec.encode(theirs)));

    try (LocalClaimStore store = LocalClaimStore.on(medium.open())) {
      assertThat(write(store, claimed(DB, 2)).version().value())
          .as("G9: a claim of a newer version can be written")
          .isGreaterThan(7);
    }

    try (StateStore state = medium.open()) {
      StateValue value = state.load().value(LocalClaimStore.key(DB)).orElseThrow();
      ClaimRecord kept = ClaimCodec.decode(value.bytes());
      assertThat(kept.unknown()).isEqualTo(newer);
      assertThat(kept.claim().epoch()).isEqualTo(2);
    }
  }

  @Test
  void aClaimUnderTheNameOfAnotherOrWithoutAVersionIsUnreadable() {
    LocalClaimStore.on(medium.open()).close();
    ClaimRecord record =
        new ClaimRecord(claimed(DB, 1), token(), new ClaimVersion(7), UnknownFields.NONE);
    ClaimRecord bare = ClaimRecord.of(claimed(LOGS, 1), token(), UnknownFields.NONE);
    put(StateKey.claim("of-another"), HexFormat.of().formatHex(ClaimCodec.encode(record)));
    put(LocalClaimStore.key(LOGS), HexFormat.of().formatHex(ClaimCodec.encode(bare)));

    try (LocalClaimStore store = LocalClaimStore.on(medium.open())) {
      assertThat(store.read(DB).version()).isEqualTo(ClaimVersion.NEVER);
      assertThat(refusal(() -> store.read(LOGS)))
          .hasMessageContaining("failed: It does not say its version. Run");
      assertThat(store.scan(Optional.empty(), 1).unreadable())
          .as("only its key proves whose claim it is")
          .extracting(ClaimPage.Unreadable::volume)
          .containsExactlyInAnyOrder(Optional.empty(), Optional.of(LOGS));
    }
  }

  // ---- a state in doubt

  private LocalClaimStore doubted(Uncertainty doubt) {
    medium.doubt(doubt);
    return LocalClaimStore.on(medium.open());
  }

  private static Uncertainty damaged(VolumeKey... volumes) {
    return Uncertainty.about(
        StateReason.JOURNAL_DAMAGED,
        Stream.of(volumes).map(LocalClaimStore::key).toList(),
        "3 records are damaged.");
  }

  @Test
  void inDoubtOfAVolumeNothingIsClaimedOfItAndEverythingGivenBack() {
    LocalClaimStore before = LocalClaimStore.on(medium.open());
    ClaimHolder holder = book(before).claim(wish(DB, "web"));
    StoreIdentity identity = before.identity();
    before.close();

    try (LocalClaimStore store = doubted(damaged(DB))) {
      ClaimBook book = book(store);
      ClaimException claiming =
          catchThrowableOfType(ClaimException.class, () -> book.claim(wish(DB, "job")));
      ClaimException confirming =
          catchThrowableOfType(
              ClaimException.class, () -> book.isCurrent(usage(DB, "web"), holder.epoch()));
      RecordStoreException writing = refusal(() -> write(store, claimed(DB, holder.epoch() + 1)));

      for (ClaimException failure : List.of(claiming, confirming)) {
        assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
        assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
        assertThat(failure.operatorMessage().seen().text())
            .isEqualTo("its journal is in doubt (JOURNAL_DAMAGED): 3 records are damaged");
      }
      assertThat(writing.reason()).isEqualTo(Reason.IN_DOUBT);
      assertThat(writing)
          .hasMessage(
              "Writing a claim failed: its journal is in doubt (JOURNAL_DAMAGED): 3 records are"
                  + " damaged. Compare the claims with what is mounted, then settle it.");
      assertThat(store.identity()).as("it is the same store").isEqualTo(identity);
      assertThat(book.claim(wish(LOGS, "web")).epoch()).as("another volume").isEqualTo(1);
      assertThat(book.advance(usage(DB, "web"), ClaimState.READY_TO_FREE))
          .map(ClaimHolder::state)
          .contains(ClaimState.READY_TO_FREE);
      book.forget(usage(DB, "web"));
      assertThat(store.read(DB).claim().holders()).isEmpty();
    }
  }

  @Test
  void aDoubtComesBackUntilItIsSettled() {
    LocalClaimStore.on(medium.open()).close();
    doubted(Uncertainty.aboutMoreThan(StateReason.JOURNAL_TRUNCATED, List.of(), "It is too short."))
        .close();

    try (LocalClaimStore store = LocalClaimStore.on(medium.open())) {
      ReasonText doubt =
          new ReasonText("its journal is in doubt (JOURNAL_TRUNCATED): It is too short.");
      assertThat(store.uncertainty(DB)).contains(doubt);
      assertThat(store.uncertainty(LOGS)).contains(doubt);
      store.settle();
      assertThat(store.uncertainty(DB)).isEmpty();
      assertThat(book(store).claim(wish(DB, "web")).epoch()).isEqualTo(1);
    }

    try (LocalClaimStore store = LocalClaimStore.on(medium.open())) {
      assertThat(store.uncertainty(DB)).isEmpty();
    }
  }

  @Test
  void aStoreThatWasMadeAnewHasAnotherIdentityAndIsInDoubt(@TempDir Path directory) {
    LocalClaimStore.on(medium.open()).close();
    MemoryMedium anew = MemoryMedium.create();
    anew.doubt(
        Uncertainty.aboutMoreThan(StateReason.STATE_MISSING, List.of(), "There is no segment."));

    try (LocalClaimStore old = LocalClaimStore.on(medium.open());
        LocalClaimStore store = LocalClaimStore.on(anew.open())) {
      assertThat(store.identity()).isNotEqualTo(old.identity());
      assertThat(store.uncertainty(DB))
          .contains(
              new ReasonText("its journal is in doubt (STATE_MISSING): There is no segment."));
    }
    try (LocalClaimStore first = LocalClaimStore.open(directory.resolve("claims"))) {
      assertThat(first.uncertainty(DB)).as("a new one is not").isEmpty();
    }
  }

  @Test
  void theTornEndThatACrashLeavesIsNoDoubt() {
    LocalClaimStore.on(medium.open()).close();
    Uncertainty torn =
        Uncertainty.aboutMoreThan(
            StateReason.JOURNAL_TAIL_DROPPED, List.of(), "The last 40 bytes.");

    try (LocalClaimStore store = doubted(torn)) {
      assertThat(store.uncertainty(DB)).isEmpty();
      assertThat(book(store).claim(wish(DB, "web")).epoch()).isEqualTo(1);
    }

    try (StateStore state = medium.open()) {
      assertThat(state.load().uncertainties()).as("it is not kept for ever").isEmpty();
    }
  }

  @Test
  void aTornEndBesideDamageIsLeftForWhoSettlesIt() {
    LocalClaimStore.on(medium.open()).close();
    Uncertainty torn =
        Uncertainty.about(StateReason.JOURNAL_TAIL_DROPPED, List.of(), "The last 40 bytes.");
    medium.doubt(torn);

    doubted(damaged(DB)).close();

    try (StateStore state = medium.open()) {
      assertThat(state.load().uncertainties()).containsExactly(torn, damaged(DB));
    }
  }

  @Test
  void aStoreThatIsClosedRefusesWithItsName() {
    LocalClaimStore store = LocalClaimStore.on(medium.open());
    store.close();

    RecordStoreException refusal = refusal(store::settle);

    assertThat(refusal.reason()).isEqualTo(Reason.CLOSED);
    assertThat(refusal)
        .hasMessage(
            "Asking the store of claims '"
                + store.identity()
                + "' failed: it is closed. Open it again.");
  }
}
