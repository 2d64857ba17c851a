package io.csi4j.volume.store.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
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
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.internal.store.StoreCodec;
import io.csi4j.volume.internal.text.HashedName;
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
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalStateStore;
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
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
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
class LocalStoreTest {

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

  private static ClaimBook book(RecordStore store) {
    return new ClaimBook(store, CLOCK);
  }

  private static Claim claimed(VolumeKey volume, long epoch) {
    return new Claim(
        volume, Optional.empty(), Claim.none(volume).holders(), epoch, Optional.empty());
  }

  private static StateKey key(VolumeKey volume) {
    return StoreCodec.stateKey(ClaimCodec.key(volume));
  }

  private static Seen<Claim> write(RecordStore store, Claim next) {
    return StoredClaims.in(store).write(next);
  }

  private static Seen<Claim> read(RecordStore store, VolumeKey volume) {
    return StoredClaims.in(store).read(volume);
  }

  private static Optional<ReasonText> doubt(RecordStore store, VolumeKey volume) {
    return store.uncertainty(ClaimCodec.key(volume));
  }

  private static RecordStoreException refusal(Runnable work) {
    return catchThrowableOfType(RecordStoreException.class, work::run);
  }

  // ---- a state that fails

  @ParameterizedTest
  @EnumSource(
      value = StateException.Reason.class,
      names = {"STATE_DISK_FULL", "STATE_READ_ONLY", "JOURNAL_SYNC_FAILED"})
  void aWriteThatTheMediumRefusedMayStillBeThereLater(StateException.Reason reason)
      throws InterruptedException {
    try (LocalStore store = LocalStore.on(medium.open());
        Watch watch = store.watch(Space.CLAIMS)) {
      Seen<Claim> before = write(store, claimed(DB, 1));
      assertThat(watch.next(Duration.ZERO))
          .contains(new Change.Written(before.stored().orElseThrow()));
      medium.refuse(reason);

      WriteResult result = StoredClaims.in(store).attempt(before, claimed(DB, 2));

      assertThat(result)
          .isEqualTo(
              new WriteResult.Unknown(
                  new ReasonText(
                      "Recording an intent failed: the medium in memory is set to refuse writes ("
                          + reason
                          + "). Set it to accept.")));
      assertThat(read(store, DB)).isEqualTo(before);
      assertThat(watch.next(Duration.ZERO)).as("nothing is told").isEmpty();
      medium.accept();
      Seen<Claim> after = write(store, claimed(DB, 3));
      assertThat(after.version())
          .as("the version of the try is used up")
          .isEqualTo(before.version() + 2);
    }
  }

  @Test
  void whoClaimsOnAFullDiskIsToldThatNobodyKnows() {
    try (LocalStore store = LocalStore.on(medium.open())) {
      ClaimBook book = book(store);
      medium.refuse(StateException.Reason.STATE_DISK_FULL);

      ClaimException failure =
          catchThrowableOfType(ClaimException.class, () -> book.claim(wish(DB, "web")));

      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
      assertThat(failure.operatorMessage().seen().text())
          .isEqualTo(
              "Recording an intent failed: the medium in memory is set to refuse writes "
                  + "(STATE_DISK_FULL). Set it to accept");
      medium.accept();
      assertThat(book.claim(wish(DB, "web")).epoch()).isEqualTo(1);
    }
  }

  @Test
  void aStateThatIsClosedUnderneathIsAClosedStore() {
    StateStore state = medium.open();
    LocalStore store = LocalStore.on(state);
    state.close();

    RecordStoreException refusal = refusal(() -> write(store, claimed(DB, 1)));

    assertThat(refusal.reason()).isEqualTo(Reason.CLOSED);
    assertThat(refusal)
        .hasMessage("Using the state in memory failed: the store is closed. Open it again.");
  }

  @Test
  void aStoreThatAnotherProcessTookOverShowsNothingAnyMore() throws InterruptedException {
    TakenState state = new TakenState(medium.open());
    try (LocalStore store = LocalStore.on(state);
        Watch watch = store.watch(Space.CLAIMS)) {
      Seen<Claim> before = write(store, claimed(DB, 1));
      assertThat(watch.next(Duration.ZERO))
          .contains(new Change.Written(before.stored().orElseThrow()));
      state.taken = true;

      WriteResult result = StoredClaims.in(store).attempt(before, claimed(DB, 2));

      assertThat(result).isEqualTo(new WriteResult.Unknown(new ReasonText(TakenState.TEXT)));
      for (Runnable use :
          List.<Runnable>of(
              () -> store.read(ClaimCodec.key(DB)),
              () -> store.scan(Space.CLAIMS, Optional.empty(), 1),
              () -> store.watch(Space.CLAIMS))) {
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
        throw new StateException(StateException.Reason.STATE_TAKEN_OVER, TEXT);
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
    public StateStore.Capacity capacity() {
      return state.capacity();
    }

    @Override
    public StateStore.Owner owner() {
      return state.owner();
    }

    @Override
    public void close() {
      state.close();
    }
  }

  @Test
  void aNewStoreThatCannotBeWrittenIsNotOpenedAndItsStateIsLetGo() {
    medium.refuse(StateException.Reason.STATE_READ_ONLY);

    RecordStoreException refusal = refusal(() -> LocalStore.on(medium.open()).close());

    assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refusal)
        .hasMessageContaining("set to refuse writes (STATE_READ_ONLY)")
        .hasCauseInstanceOf(StateException.class);
    medium.accept();
    LocalStore.on(medium.open()).close();
  }

  // ---- a state of somebody else

  @Test
  void theStateOfAVolumeManagerIsRefusedAndStaysOpen() {
    StateStore state = medium.open();
    state.put(StateKey.volume("v1"), StateValue.of(new byte[1]), Durability.REQUIRED);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> LocalStore.on(state))
        .withMessage(
            "The state contains VOLUME/v1, so it belongs to a volume manager. Use the state of a"
                + " LocalStore, which contains only claims and a catalog.");
    assertThat(state.load().values()).hasSize(1);
  }

  private static StateStore journal(Path directory) {
    return JournalStateStore.open(directory, JournalSettings.defaults());
  }

  @Test
  void theDirectoryOfAVolumeManagerIsRefusedAndNotKeptOpen(@TempDir Path directory) {
    StateValue clear = StateValue.of(new byte[] {1});
    try (StateStore state = journal(directory)) {
      state.put(StateKey.volume("v1"), clear, Durability.REQUIRED);
    }
    Sealer sealer = AesGcmSealer.of(AesGcmSealer.Keys.of("k", new byte[32]));

    for (Runnable opening :
        List.<Runnable>of(
            () -> LocalStore.open(directory).close(),
            () -> LocalStore.open(directory, sealer).close())) {
      assertThatIllegalArgumentException()
          .isThrownBy(opening::run)
          .withMessageStartingWith(
              "The state contains VOLUME/v1, so it belongs to a volume manager.");
      try (StateStore state = journal(directory)) {
        assertThat(state.load().value(StateKey.volume("v1"))).contains(clear);
      }
    }
  }

  @Test
  void aStateThatAnotherHasOpenIsRefusedByItsOwner(@TempDir Path directory) {
    Path claims = directory.resolve("claims");
    try (LocalStore first = LocalStore.open(claims)) {
      RecordStoreException refusal = refusal(() -> LocalStore.open(claims).close());

      assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
      assertThat(((StateException) refusal.getCause()).reason())
          .isEqualTo(StateException.Reason.STATE_IN_USE);
      assertThat(first.read(ClaimCodec.key(DB))).isEmpty();
    }
  }

  @Test
  void claimsOfWhichNobodyKnowsTheStoreAreRefused() {
    LocalStore store = LocalStore.on(medium.open());
    Seen<Claim> there = write(store, claimed(DB, 1));
    store.close();
    try (StateStore state = medium.open()) {
      state.remove(StateKey.claim("identity"));
    }

    RecordStoreException refusal = refusal(() -> LocalStore.on(medium.open()).close());

    assertThat(there.value().orElseThrow().epoch()).isEqualTo(1);
    assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
    assertThat(refusal)
        .hasMessage(
            "Opening the store failed: its state has claims but no store identity. Find out"
                + " which program wrote it.");
  }

  // ---- what a newer version wrote

  private void put(StateKey key, String hex) {
    try (StateStore state = medium.open()) {
      state.put(key, StateValue.of(HexFormat.of().parseHex(hex)), Durability.REQUIRED);
    }
  }

  @Test
  void aRecordInANewerFormatIsNeitherReadNorOverwritten() {
    LocalStore old = LocalStore.on(medium.open());
    Seen<Claim> logs = write(old, claimed(LOGS, 1));
    old.close();
    put(key(DB), "0804");

    try (LocalStore store = LocalStore.on(medium.open())) {
      String told =
          "Reading the claim of volume 'default/db' failed: It has format 4, and this version reads"
              + " format 1 to 3. Run the csi4j version that wrote it, or a later one.";
      RecordStoreException refusal = refusal(() -> read(store, DB));
      assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
      assertThat(refusal).hasMessage(told);
      assertThat(
              store.write(
                  new RecordWrite(
                      ClaimCodec.key(DB),
                      Optional.empty(),
                      Optional.of(StateValue.of(new byte[] {1})))))
          .isEqualTo(
              new WriteResult.Conflict(List.of(store.read(ClaimCodec.key(DB)).orElseThrow())));
      RecordValues.Page<Claim> page = StoredClaims.in(store).page(10);
      assertThat(page.records()).containsExactly(logs);
      assertThat(page.unreadable())
          .singleElement()
          .satisfies(
              it ->
                  assertThat(it.problem())
                      .hasMessage(
                          told.replace(
                              "of volume 'default/db'", "under the key '" + key(DB) + "'")));
      assertThat(read(store, LOGS)).as("the others are").isEqualTo(logs);
      ClaimException failure =
          catchThrowableOfType(ClaimException.class, () -> book(store).claim(wish(DB, "web")));
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNREADABLE);
    }
  }

  @Test
  void eachClaimThatCannotBeReadIsOnOnePageOfAll() {
    LocalStore old = LocalStore.on(medium.open());
    write(old, claimed(DB, 1));
    write(old, claimed(LOGS, 1));
    write(old, claimed(VolumeKey.of("web"), 1));
    write(old, claimed(VolumeKey.of("away"), 1));
    old.close();
    DamagedClaims.inANewerFormat(medium, VolumeKey.of("web"));
    DamagedClaims.altogether(medium, VolumeKey.of("away"));

    try (LocalStore store = LocalStore.on(medium.open())) {
      List<VolumeKey> readable = new ArrayList<>();
      List<Optional<VolumeKey>> unreadable = new ArrayList<>();
      Optional<VolumeKey> after = Optional.empty();
      do {
        ClaimPage page = book(store).page(after, 1);
        page.claims().forEach(each -> readable.add(each.volume()));
        page.unreadable().forEach(each -> unreadable.add(each.volume()));
        after = page.next();
      } while (after.isPresent());

      assertThat(readable).containsExactly(DB, LOGS);
      assertThat(unreadable)
          .containsExactlyInAnyOrder(Optional.of(VolumeKey.of("web")), Optional.empty());
    }
  }

  @Test
  void aStoreWhoseIdentityIsInANewerFormatIsNotOpened() {
    put(StateKey.claim("identity"), "0802");

    RecordStoreException refusal = refusal(() -> LocalStore.on(medium.open()).close());

    assertThat(refusal.reason()).isEqualTo(Reason.UNREADABLE);
    assertThat(refusal)
        .hasMessage(
            "Reading the identity of the store failed: It has format 2, and this version reads"
                + " format 1. Run the csi4j version that wrote it, or a later one.");
  }

  // ---- records of before

  private static byte[] former(Claim claim, long version, UnknownFields newer) {
    return StoredClaims.withVersion(new ClaimCodec().encode(claim, new UUID(1, 2), newer), version);
  }

  @Test
  @Tag("G9")
  void aClaimOfBeforeIsReadWithItsVersionAndWhatANewerVersionWroteIsKept() {
    LocalStore.on(medium.open()).close();
    UnknownFields newer = UnknownFields.of(HexFormat.of().parseHex("7a026869"));
    put(key(DB), HexFormat.of().formatHex(former(claimed(DB, 1), 7, newer)));

    try (LocalStore store = LocalStore.on(medium.open())) {
      Seen<Claim> seen = read(store, DB);
      assertThat(seen.value()).contains(claimed(DB, 1));
      assertThat(seen.version()).isEqualTo(7);
      assertThat(write(store, claimed(DB, 2)).version())
          .as("G9: a claim of a newer version can be written")
          .isGreaterThan(7);
    }

    try (LocalStore store = LocalStore.on(medium.open())) {
      assertThat(read(store, DB).newer()).isEqualTo(newer);
      assertThat(read(store, DB).value()).contains(claimed(DB, 2));
    }
  }

  @Test
  void aVolumeOfACatalogOfBeforeIsReadAndReplacedByItsKey() {
    RecordKey key = RecordKey.of(Space.VOLUMES, DB);
    byte[] former = new FieldWriter().number(1, 1).text(2, "default").text(3, "db").bytes();
    put(StateKey.catalog(HashedName.inCatalog(DB)), HexFormat.of().formatHex(former));

    try (LocalStore store = LocalStore.on(medium.open())) {
      StoredRecord there = new StoredRecord(key, 1, StateValue.of(former));
      assertThat(store.read(key)).contains(there);
      assertThat(store.scan(Space.VOLUMES, Optional.empty(), 9).records()).containsExactly(there);
      assertThat(store.scan(Space.CLAIMS, Optional.empty(), 9).records()).isEmpty();
      StateValue next = StateValue.of(new byte[] {7});
      assertThat(store.write(new RecordWrite(key, Optional.of(there), Optional.of(next))))
          .isInstanceOf(WriteResult.Written.class);
    }

    try (StateStore state = medium.open()) {
      assertThat(state.load().values().keySet())
          .containsExactlyInAnyOrder(
              StateKey.claim("identity"),
              StateKey.claim("floor"),
              StateKey.catalog(HashedName.inCatalog(DB)));
    }
  }

  @Test
  void claimsAndACatalogLiveInOneState() {
    RecordKey volume = RecordKey.of(Space.VOLUMES, DB);
    RecordKey cluster = new RecordKey(Space.CLUSTER, "identity");
    Optional<StateValue> value = Optional.of(StateValue.of(new byte[] {7}));
    try (LocalStore store = LocalStore.on(medium.open())) {
      write(store, claimed(DB, 1));
      for (RecordKey key : List.of(volume, cluster)) {
        assertThat(store.write(new RecordWrite(key, Optional.empty(), value)))
            .isInstanceOf(WriteResult.Written.class);
      }
    }

    try (LocalStore store = LocalStore.on(medium.open())) {
      assertThat(read(store, DB).value()).contains(claimed(DB, 1));
      assertThat(store.read(volume).map(StoredRecord::value)).isEqualTo(value);
      assertThat(store.read(cluster).map(StoredRecord::value)).isEqualTo(value);
      for (Space space : Space.values()) {
        assertThat(store.scan(space, Optional.empty(), 9).records())
            .extracting(each -> each.key().space())
            .containsExactly(space);
      }
    }
  }

  @Test
  void aVersionDoesNotComeAgainThoughItsRecordIsGoneAndTheStateCountsFromTheBeginning() {
    long gone;
    LoadedState left;
    try (LocalStore store = LocalStore.on(medium.open())) {
      Seen<Claim> there = write(store, claimed(DB, 1));
      gone = there.version();
      assertThat(store.write(new RecordWrite(ClaimCodec.key(DB), there.stored(), Optional.empty())))
          .isEqualTo(new WriteResult.Written(List.of()));
    }
    try (StateStore state = medium.open()) {
      left = state.load();
    }
    MemoryMedium copy = MemoryMedium.create();
    try (StateStore state = copy.open()) {
      left.values().forEach((key, value) -> state.put(key, value, Durability.REQUIRED));
    }

    try (LocalStore store = LocalStore.on(copy.open())) {
      assertThat(write(store, claimed(DB, 1)).version()).isGreaterThan(gone);
    }
  }

  @Test
  void theLargestRecordWithTheLongestNameIsKept(@TempDir Path directory) {
    String longest = "\ud834\udd1e".repeat(512);
    RecordKey key = RecordKey.of(Space.CLAIMS, VolumeKey.of(Namespace.of(longest), longest));
    byte[] bytes = new byte[StateValue.MAX_SIZE];
    bytes[0] = 8;
    StateValue largest = StateValue.of(bytes);
    AesGcmSealer.Keys keys = AesGcmSealer.Keys.of("k", new byte[32]);
    try (LocalStore store = LocalStore.open(directory.resolve("s"), AesGcmSealer.of(keys))) {
      assertThat(store.write(new RecordWrite(key, Optional.empty(), Optional.of(largest))))
          .isInstanceOf(WriteResult.Written.class);
    }
    try (LocalStore store = LocalStore.open(directory.resolve("s"), AesGcmSealer.of(keys))) {
      assertThat(store.read(key).map(StoredRecord::value)).contains(largest);
      StateValue larger = StateValue.ofWrapped(new byte[bytes.length + StateValue.MAX_AROUND]);
      RecordStoreException refusal =
          refusal(() -> store.write(new RecordWrite(key, store.read(key), Optional.of(larger))));
      assertThat(refusal.reason()).isEqualTo(Reason.TOO_LARGE);
    }
  }

  @Test
  void aClaimUnderTheNameOfAnotherOrWithoutAVersionIsUnreadable() {
    LocalStore.on(medium.open()).close();
    put(
        StateKey.claim("of-another"),
        HexFormat.of().formatHex(former(claimed(DB, 1), 7, UnknownFields.NONE)));
    put(key(LOGS), HexFormat.of().formatHex(former(claimed(LOGS, 1), 0, UnknownFields.NONE)));

    try (LocalStore store = LocalStore.on(medium.open())) {
      assertThat(store.read(ClaimCodec.key(DB))).isEmpty();
      assertThat(refusal(() -> read(store, LOGS)))
          .hasMessageContaining("failed: it has version 0, but a written record has");
      assertThat(StoredClaims.in(store).page(9).unreadable())
          .as("only its key proves whose claim it is")
          .extracting(each -> each.key().volume())
          .containsExactlyInAnyOrder(Optional.empty(), Optional.of(LOGS));
    }
  }

  // ---- a state in doubt

  private LocalStore doubted(Uncertainty doubt) {
    medium.doubt(doubt);
    return LocalStore.on(medium.open());
  }

  private static Uncertainty damaged(VolumeKey... volumes) {
    return Uncertainty.about(
        StateException.Reason.JOURNAL_DAMAGED,
        Stream.of(volumes).map(LocalStoreTest::key).toList(),
        "3 records are damaged.");
  }

  @Test
  void inDoubtOfAVolumeNothingIsClaimedOfItAndEverythingGivenBack() {
    LocalStore before = LocalStore.on(medium.open());
    ClaimHolder holder = book(before).claim(wish(DB, "web"));
    StoreIdentity identity = before.identity();
    before.close();

    try (LocalStore store = doubted(damaged(DB))) {
      ClaimBook book = book(store);
      ClaimException claiming =
          catchThrowableOfType(ClaimException.class, () -> book.claim(wish(DB, "job")));
      ClaimException confirming =
          catchThrowableOfType(
              ClaimException.class, () -> book.isCurrent(usage(DB, "web"), holder.epoch()));
      for (ClaimException failure : List.of(claiming, confirming)) {
        assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
        assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
        assertThat(failure.operatorMessage().seen().text())
            .isEqualTo("its journal is uncertain (JOURNAL_DAMAGED): 3 records are damaged");
      }
      assertThat(store.identity()).as("it is the same store").isEqualTo(identity);
      assertThat(book.claim(wish(LOGS, "web")).epoch()).as("another volume").isEqualTo(1);
      assertThat(book.advance(usage(DB, "web"), ClaimHolder.State.READY_TO_FREE))
          .map(ClaimHolder::state)
          .contains(ClaimHolder.State.READY_TO_FREE);
      book.forget(usage(DB, "web"));
      assertThat(StoredClaims.in(store).claim(DB).holders()).isEmpty();
    }
  }

  @Test
  void aDoubtComesBackUntilItIsSettled() {
    LocalStore.on(medium.open()).close();
    doubted(
            Uncertainty.aboutMoreThan(
                StateException.Reason.JOURNAL_TRUNCATED, List.of(), "It is too short."))
        .close();

    try (LocalStore store = LocalStore.on(medium.open())) {
      ReasonText doubt =
          new ReasonText("its journal is uncertain (JOURNAL_TRUNCATED): It is too short.");
      assertThat(doubt(store, DB)).contains(doubt);
      assertThat(doubt(store, LOGS)).contains(doubt);
      store.settle();
      assertThat(doubt(store, DB)).isEmpty();
      assertThat(book(store).claim(wish(DB, "web")).epoch()).isEqualTo(1);
    }

    try (LocalStore store = LocalStore.on(medium.open())) {
      assertThat(doubt(store, DB)).isEmpty();
    }
  }

  @Test
  void aStoreThatWasMadeAnewHasAnotherIdentityAndIsInDoubt(@TempDir Path directory) {
    LocalStore.on(medium.open()).close();
    MemoryMedium anew = MemoryMedium.create();
    anew.doubt(
        Uncertainty.aboutMoreThan(
            StateException.Reason.STATE_MISSING, List.of(), "There is no segment."));

    try (LocalStore old = LocalStore.on(medium.open());
        LocalStore store = LocalStore.on(anew.open())) {
      assertThat(store.identity()).isNotEqualTo(old.identity());
      assertThat(doubt(store, DB))
          .contains(
              new ReasonText("its journal is uncertain (STATE_MISSING): There is no segment."));
    }
    try (LocalStore first = LocalStore.open(directory.resolve("claims"))) {
      assertThat(doubt(first, DB)).as("a new one is not").isEmpty();
    }
  }

  @Test
  void theTornEndThatACrashLeavesIsNoDoubt() {
    LocalStore.on(medium.open()).close();
    Uncertainty torn =
        Uncertainty.aboutMoreThan(
            StateException.Reason.JOURNAL_TAIL_DROPPED, List.of(), "The last 40 bytes.");

    try (LocalStore store = doubted(torn)) {
      assertThat(doubt(store, DB)).isEmpty();
      assertThat(book(store).claim(wish(DB, "web")).epoch()).isEqualTo(1);
    }

    try (StateStore state = medium.open()) {
      assertThat(state.load().uncertainties()).as("it is not kept for ever").isEmpty();
    }
  }

  @Test
  void aTornEndBesideDamageIsLeftForWhoSettlesIt() {
    LocalStore.on(medium.open()).close();
    Uncertainty torn =
        Uncertainty.about(
            StateException.Reason.JOURNAL_TAIL_DROPPED, List.of(), "The last 40 bytes.");
    medium.doubt(torn);

    doubted(damaged(DB)).close();

    try (StateStore state = medium.open()) {
      assertThat(state.load().uncertainties()).containsExactly(torn, damaged(DB));
    }
  }

  @Test
  void aStoreThatIsClosedRefusesWithItsName() {
    LocalStore store = LocalStore.on(medium.open());
    store.close();

    RecordStoreException refusal = refusal(store::settle);

    assertThat(refusal.reason()).isEqualTo(Reason.CLOSED);
    assertThat(refusal)
        .hasMessage(
            "Using the store '" + store.identity() + "' failed: it is closed. Open it again.");
  }
}
