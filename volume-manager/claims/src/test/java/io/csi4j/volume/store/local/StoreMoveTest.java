package io.csi4j.volume.store.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.SealedBytes;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreMoveTest {

  private static final RecordKey DB = RecordKey.of(Space.VOLUMES, VolumeKey.of("db"));
  private static final RecordKey IDENTITY = new RecordKey(Space.CLUSTER, "identity");
  private static final RecordKey UNKNOWN = new RecordKey(Space.CLUSTER, "of a newer version");
  private static final Sealer SEALER = sealer("k", 1);
  private static final Sealer OTHER_SEALER = sealer("k2", 2);

  @TempDir Path temp;

  private final MemoryStore memory = new MemoryStore();

  private static Sealer sealer(String id, int first) {
    byte[] key = new byte[32];
    key[0] = (byte) first;
    return AesGcmSealer.of(AesGcmSealer.Keys.of(id, key));
  }

  private Path directory() {
    return temp.resolve("store");
  }

  private static StateValue value(String text) {
    return StateValue.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void put(RecordStore store, RecordKey key, StateValue value) {
    assertThat(store.write(new RecordWrite(key, store.read(key), Optional.of(value))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);
  }

  private static ClaimRequest wish(String workload) {
    return ClaimRequest.builder(
            VolumeUse.of(VolumeKey.of("db"), WorkloadId.of(workload)),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  private static Map<RecordKey, StateValue> records(RecordStore store) {
    Map<RecordKey, StateValue> all = new TreeMap<>();
    for (Space space : Space.values()) {
      store
          .scan(space, Optional.empty(), 10_000)
          .records()
          .forEach(each -> all.put(each.key(), each.value()));
    }
    return all;
  }

  /** Some records of each space, one of which this version does not know. */
  private Map<RecordKey, StateValue> filled() {
    try (LocalStore store = LocalStore.open(directory())) {
      new ClaimBook(store, Clock.systemUTC()).claim(wish("web"));
      put(store, DB, value("a volume"));
      put(store, IDENTITY, value("an identity"));
      put(store, UNKNOWN, value("\u0007 not known"));
      return records(store);
    }
  }

  private static <T extends Throwable> T refused(
      Class<T> kind, RecordStore source, RecordStore target) {
    return catchThrowableOfType(kind, () -> StoreMove.run(source, target));
  }

  /** A store in memory with another answer here and there. */
  private static class Disturbed implements RecordStore {
    private final RecordStore store;

    Disturbed(RecordStore store) {
      this.store = store;
    }

    @Override
    public Optional<StoredRecord> read(RecordKey key) {
      return store.read(key);
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      return store.write(writes);
    }

    @Override
    public Page scan(Space space, Optional<RecordKey> after, int limit) {
      return store.scan(space, after, limit);
    }

    @Override
    public Watch watch(Space space) {
      return store.watch(space);
    }

    @Override
    public StoreIdentity identity() {
      return store.identity();
    }

    @Override
    public void close() {}
  }

  private static Disturbed sealedWith(RecordStore store, Sealer sealer) {
    return new Disturbed(store) {
      @Override
      public Optional<Sealer> sealer() {
        return Optional.of(sealer);
      }
    };
  }

  @Test
  void theTargetGetsEveryRecordOfEverySpaceByteForByte() {
    Map<RecordKey, StateValue> before = filled();
    try (LocalStore source = LocalStore.openMoved(directory())) {
      StoreMove.Result moved = StoreMove.run(source, memory);

      assertThat(moved)
          .isEqualTo(
              new StoreMove.Result(
                  source.identity(),
                  memory.identity(),
                  Map.of(Space.CLAIMS, 1, Space.VOLUMES, 1, Space.CLUSTER, 2),
                  4));
      assertThat(records(source)).isEqualTo(before);
    }
    assertThat(records(memory)).isEqualTo(before).hasSize(4);
    assertThat(new ClaimBook(memory, Clock.systemUTC()).claim(wish("other")).epoch())
        .as("epochs go on")
        .isEqualTo(2);
  }

  @Test
  void aLookAtAStoreIsNoSource() {
    Map<RecordKey, StateValue> before = filled();
    try (LocalStore source = LocalStore.openMoved(directory())) {
      assertThat(records(source)).isEqualTo(before);
    }
    try (RecordStore look = LocalStore.look(directory(), Optional.empty())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> StoreMove.run(look, memory))
          .withMessage(
              "Moving the records failed: the source was opened for a look, so nothing keeps a"
                  + " control plane from changing it. Open it with LocalStore.openMoved.");
    }
    assertThat(records(memory)).isEmpty();
  }

  @Test
  void theSourceIsRefusedUntilItIsTakenBack() {
    Map<RecordKey, StateValue> before = filled();
    try (LocalStore source = LocalStore.openMoved(directory())) {
      StoreMove.run(source, memory);
      assertThat(source.readOnly())
          .contains(new ReasonText("its records were moved to store '" + memory.identity() + "'"));
      RecordStoreException write =
          catchThrowableOfType(
              RecordStoreException.class, () -> put(source, DB, value("written later")));
      assertThat(write)
          .hasMessageStartingWith(
              "Writing VOLUMES/default/db failed: the records were moved to store '");
    }

    RecordStoreException refused =
        catchThrowableOfType(RecordStoreException.class, () -> LocalStore.open(directory()));

    assertThat(refused.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refused)
        .hasMessage(
            "Opening the store failed: its records were moved to store '"
                + memory.identity()
                + "', or a move there has begun. Use that store; 'csi4j store take-back' makes this"
                + " one usable again.");
    try (LocalStore source = LocalStore.openMoved(directory())) {
      source.takeBack();
      put(source, DB, value("written later"));
    }
    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(source.movedTo()).isEmpty();
      assertThat(records(source)).containsEntry(DB, value("written later")).hasSize(before.size());
    }
  }

  @Test
  void aMoveThatWasEndedGoesOnWhereItWas() {
    Map<RecordKey, StateValue> before = filled();
    Disturbed failing =
        new Disturbed(memory) {
          private int left = 2;

          @Override
          public WriteResult write(List<RecordWrite> writes) {
            if (left-- == 0) {
              throw new RecordStoreException(Reason.UNAVAILABLE, "It is down.");
            }
            return super.write(writes);
          }
        };
    try (LocalStore source = LocalStore.openMoved(directory())) {
      assertThat(refused(RecordStoreException.class, source, failing)).hasMessage("It is down.");
    }
    assertThat(records(memory)).hasSize(2);
    assertThat(catchThrowableOfType(RecordStoreException.class, () -> LocalStore.open(directory())))
        .as("marked before the first write")
        .isNotNull();

    try (LocalStore source = LocalStore.openMoved(directory())) {
      assertThat(StoreMove.run(source, memory).copied()).isEqualTo(2);
      assertThat(records(memory)).isEqualTo(before);
      assertThat(StoreMove.run(source, memory).copied()).as("again").isZero();
    }
  }

  @Test
  void aWriteWhoseResultIsNotKnownIsLookedFor() {
    Map<RecordKey, StateValue> before = filled();
    Disturbed silent =
        new Disturbed(memory) {
          private int write;

          @Override
          public WriteResult write(List<RecordWrite> writes) {
            if (write++ % 2 == 0) {
              super.write(writes);
            }
            return new WriteResult.Unknown(new ReasonText("no answer came"));
          }
        };
    try (LocalStore source = LocalStore.openMoved(directory())) {
      assertThat(StoreMove.run(source, silent).copied()).isEqualTo(4);
    }
    assertThat(records(memory)).isEqualTo(before);
  }

  @Test
  void aTargetThatNeverAnswersEndsTheMove() {
    filled();
    Disturbed silent =
        new Disturbed(memory) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            return new WriteResult.Unknown(new ReasonText("no answer came"));
          }
        };
    try (LocalStore source = LocalStore.openMoved(directory())) {
      assertThat(refused(RecordStoreException.class, source, silent))
          .hasMessage(
              "Moving CLAIMS/default/db failed: no answer came. Start the move again; it goes on"
                  + " where it was.");
    }
  }

  @Test
  void aTargetWithAnotherRecordIsRefusedAndTheSourceStaysUsable() {
    filled();
    RecordKey other = RecordKey.of(Space.VOLUMES, VolumeKey.of("other"));
    put(memory, other, value("theirs"));
    try (LocalStore source = LocalStore.openMoved(directory())) {
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .hasMessage(
              "Moving the records failed: the target, store '%s', has other records:"
                      .formatted(memory.identity())
                  + " VOLUMES/default/other with version 1, 6 bytes and hash 4c55a855, of which the"
                  + " source, store '%s', has none. Name an empty store."
                      .formatted(source.identity()));
      assertThat(source.movedTo()).isEmpty();
    }
    assertThat(records(memory)).containsOnlyKeys(other);
  }

  @Test
  void aTargetWithAnotherValueIsRefusedWithBoth() {
    Map<RecordKey, StateValue> before = filled();
    put(memory, DB, value("another volume"));
    try (LocalStore source = LocalStore.openMoved(directory())) {
      long version = source.read(DB).orElseThrow().version();
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .hasMessage(
              "Moving the records failed: the target, store '%s', has".formatted(memory.identity())
                  + " VOLUMES/default/db with version 1, 14 bytes and hash fefbd026, and the source,"
                  + " store '%s', has VOLUMES/default/db with version %s, 8 bytes and hash"
                      .formatted(source.identity(), version)
                  + " d0bda87c. Name an empty store.");
      assertThat(records(source)).isEqualTo(before);
      assertThat(source.movedTo()).isEmpty();
    }
  }

  @Test
  void aSecondTargetIsRefusedWithBoth() {
    filled();
    try (LocalStore source = LocalStore.openMoved(directory());
        MemoryStore second = new MemoryStore()) {
      StoreMove.run(source, memory);
      assertThat(refused(IllegalArgumentException.class, source, second))
          .hasMessage(
              "Moving the records failed: they were moved to store '%s' before, or a move there has"
                      .formatted(memory.identity())
                  + " begun, and this target is store '%s'. Name that store, or take the records"
                      .formatted(second.identity())
                  + " back first: 'csi4j store take-back'.");
      assertThat(records(second)).isEmpty();
      assertThat(refused(IllegalArgumentException.class, source, source))
          .hasMessage(
              "Moving the records failed: both stores are '%s'. Name another store."
                  .formatted(source.identity()));
    }
  }

  @Test
  void aRecordThatDoesNotSayWhoseItIsIsNotMoved() {
    MemoryMedium medium = MemoryMedium.create();
    LocalStore.on(medium.open()).close();
    DamagedClaims.altogether(medium, VolumeKey.of("db"));
    try (LocalStore source = LocalStore.onMoved(medium.open())) {
      assertThat(refused(RecordStoreException.class, source, memory))
          .hasMessageMatching(
              "Moving CLAIMS/CLAIM/\\w+ failed: its bytes do not say whose record it is\\. Find out"
                  + " which volume it is of, and remove or restore the record\\.");
      assertThat(source.movedTo()).isEmpty();
    }
  }

  @Test
  void aSourceWhoseJournalIsDamagedIsNotMoved() {
    MemoryMedium medium = MemoryMedium.create();
    LocalStore.on(medium.open()).close();
    medium.doubt(
        Uncertainty.aboutMoreThan(
            StateException.Reason.JOURNAL_DAMAGED, Set.of(), "3 records are damaged."));
    try (LocalStore source = LocalStore.onMoved(medium.open())) {
      RecordStoreException refused = refused(RecordStoreException.class, source, memory);
      assertThat(refused.reason()).isEqualTo(Reason.IN_DOUBT);
      assertThat(refused)
          .hasMessageStartingWith(
              "Moving the records failed: the journal of the source is in doubt: 3 records are"
                  + " damaged");
    }
  }

  @Test
  void aRecordThatNoStoreWroteIsNotMoved() {
    RecordKey damaged = new RecordKey(Space.VOLUMES, "damaged");
    try (MemoryStore source = new MemoryStore()) {
      put(source, damaged, StateValue.of(new byte[0]));
      assertThat(refused(RecordStoreException.class, source, memory))
          .hasMessage(
              "Moving VOLUMES/damaged failed: it has version 1 and 0 bytes that can be read, so no"
                  + " store wrote it. Find out which volume it is of, and remove or restore the"
                  + " record.");
    }
    assertThat(records(memory)).isEmpty();
  }

  @Test
  void aStoreInDoubtIsNotMoved() {
    filled();
    Disturbed doubtful =
        new Disturbed(memory) {
          @Override
          public Optional<ReasonText> readOnly() {
            return Optional.of(new ReasonText("it has records and no mark"));
          }
        };
    try (LocalStore source = LocalStore.openMoved(directory())) {
      RecordStoreException refused = refused(RecordStoreException.class, source, doubtful);
      assertThat(refused.reason()).isEqualTo(Reason.IN_DOUBT);
      assertThat(refused)
          .hasMessage(
              "Moving the records failed: the target, store '%s', accepts no writes: it has records"
                      .formatted(memory.identity())
                  + " and no mark. Compare its claims with what the nodes have mounted, then accept"
                  + " the store with 'csi4j store accept'.");
      assertThat(refused(RecordStoreException.class, doubtful, new MemoryStore()).reason())
          .isEqualTo(Reason.IN_DOUBT);
    }
  }

  @Test
  void aLookAtADirectoryReadsWithoutOpeningItAndSaysThatItWasMoved() {
    Map<RecordKey, StateValue> before = filled();
    try (LocalStore source = LocalStore.openMoved(directory());
        RecordStore look = LocalStore.look(directory(), Optional.empty())) {
      assertThat(records(look)).isEqualTo(before);
      assertThat(look.identity()).isEqualTo(source.identity());
      assertThat(look.readOnly()).isEmpty();
      StoreMove.run(source, memory);
      assertThat(LocalStore.look(directory(), Optional.empty()).readOnly())
          .isEqualTo(source.readOnly());
      assertThat(
              catchThrowableOfType(
                  RecordStoreException.class, () -> put(look, DB, value("written"))))
          .hasMessage(
              "Writing VOLUMES/default/db failed: the store was opened for a look. Open it with"
                  + " LocalStore.open.");
    }
  }

  // ---- sealed records

  @Test
  void aLookAtASealedDirectoryNeedsItsKey() {
    try (LocalStore source = LocalStore.open(directory(), SEALER)) {
      put(source, DB, value("a secret"));
      assertThat(records(LocalStore.look(directory(), Optional.of(SEALER))))
          .isEqualTo(Map.of(DB, value("a secret")));
    }
    assertThat(
            catchThrowableOfType(
                RecordStoreException.class, () -> LocalStore.look(directory(), Optional.empty())))
        .hasMessage(
            "Reading the records in " + directory() + " failed: they are sealed. Give the key.");
  }

  @Test
  void recordsOfASealedDirectoryAreSealedInTheTarget() {
    try (LocalStore source = LocalStore.open(directory(), SEALER)) {
      put(source, DB, value("a secret"));
    }
    try (LocalStore source = LocalStore.openMoved(directory(), SEALER)) {
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .hasMessage(
              "Moving VOLUMES/default/db failed: it is sealed in the source, and the target would"
                  + " keep it in clear. Give the target the key.");
      assertThat(source.movedTo()).isEmpty();

      StoreMove.run(source, sealedWith(memory, SEALER));

      byte[] there = memory.read(DB).orElseThrow().value().bytes();
      assertThat(SealedBytes.areSealed(there)).isTrue();
      assertThat(SealedBytes.open(there, RecordValues.about(DB), SEALER))
          .isEqualTo(value("a secret").bytes());
      assertThat(StoreMove.run(source, sealedWith(memory, SEALER)).copied()).isZero();
    }
    try (LocalStore back = LocalStore.open(temp.resolve("back"), SEALER)) {
      StoreMove.run(sealedWith(memory, SEALER), back);
      assertThat(records(back)).isEqualTo(Map.of(DB, value("a secret")));
    }
    try (LocalStore clear = LocalStore.open(temp.resolve("clear"))) {
      assertThat(refused(IllegalArgumentException.class, sealedWith(memory, SEALER), clear))
          .hasMessageStartingWith("Moving VOLUMES/default/db failed: it is sealed in the source,");
    }
  }

  @Test
  void sealedRecordsAreCopiedAsTheyAreWithoutAKeyAndWithTheSameOne() {
    byte[] sealed = SealedBytes.seal(value("a").bytes(), RecordValues.about(DB), SEALER);
    put(memory, DB, StateValue.ofWrapped(sealed));
    try (MemoryStore unopened = new MemoryStore();
        MemoryStore same = new MemoryStore();
        MemoryStore other = new MemoryStore()) {
      StoreMove.run(memory, unopened);
      StoreMove.run(memory, sealedWith(same, SEALER));
      StoreMove.run(sealedWith(memory, SEALER), sealedWith(other, OTHER_SEALER));

      assertThat(records(unopened)).isEqualTo(records(memory)).isEqualTo(records(same));
      assertThat(
              SealedBytes.open(
                  other.read(DB).orElseThrow().value().bytes(),
                  RecordValues.about(DB),
                  OTHER_SEALER))
          .isEqualTo(value("a").bytes());
      assertThat(
              refused(
                  IllegalArgumentException.class,
                  memory,
                  sealedWith(new MemoryStore(), OTHER_SEALER)))
          .hasMessage(
              "Moving VOLUMES/default/db failed: it is sealed with a key that is not among those"
                  + " given. Give the key of the source.");
    }
  }
}
