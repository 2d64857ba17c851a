package io.csi4j.volume.store.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.seal.SealedBytes;
import io.csi4j.volume.internal.store.MoveMark;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.StoreCodec;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    all.remove(MoveMark.KEY);
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
    try (LocalStore source = LocalStore.open(directory())) {
      StoreMove.Result moved = StoreMove.run(source, memory);

      assertThat(moved)
          .isEqualTo(
              new StoreMove.Result(
                  source.identity(),
                  memory.identity(),
                  Map.of(Space.CLAIMS, 1, Space.VOLUMES, 1, Space.CLUSTER, 2),
                  4,
                  false));
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
    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(records(source)).isEqualTo(before);
    }
    try (RecordStore look = LocalStore.look(directory(), Optional.empty())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> StoreMove.run(look, memory))
          .withMessage(
              "Moving the records failed: the source was opened only for reading, so nothing"
                  + " prevents a control plane from changing it. Open it with LocalStore.open.");
    }
    assertThat(records(memory)).isEmpty();
  }

  @Test
  void nothingIsChangedInTheSourceUntilItIsTakenBack() {
    Map<RecordKey, StateValue> before = filled();
    String moved;
    try (LocalStore source = LocalStore.open(directory())) {
      StoreMove.run(source, memory);
      moved =
          "the records of store '%s' were moved to store '%s'"
              .formatted(source.identity(), memory.identity());
    }

    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(StoreMove.whyNotUsed(source)).contains(new ReasonText(moved));
      RecordStoreException write =
          catchThrowableOfType(
              RecordStoreException.class, () -> put(source, DB, value("written later")));
      assertThat(write.reason()).isEqualTo(Reason.MOVED);
      assertThat(write).hasMessage("Writing VOLUMES/default/db failed: " + moved + ".");
      ClaimException claim =
          catchThrowableOfType(ClaimException.class, () -> claim(source, "later"));
      assertThat(claim.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(claim)
          .hasMessage(
              "CSI-814 STORE_MOVED: claiming volume default/db for workload 'later': "
                  + moved
                  + "; nothing was changed. Open the new store; repeat an incomplete move, or undo"
                  + " it with 'csi4j store take-back'.");
      assertThat(records(source)).isEqualTo(before);

      assertThat(StoreMove.takeBack(source)).contains(memory.identity());
      assertThat(StoreMove.takeBack(source)).isEmpty();
      put(source, DB, value("written later"));
    }
    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(StoreMove.whyNotUsed(source)).isEmpty();
      assertThat(records(source)).containsEntry(DB, value("written later")).hasSize(before.size());
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .as("the target may have been used")
          .hasMessageStartingWith("Moving the records failed: the target, store '");
    }
  }

  private static void claim(RecordStore store, String workload) {
    new ClaimBook(store, Clock.systemUTC()).claim(wish(workload));
  }

  private static boolean isClaimed(RecordStore store, String workload) {
    try {
      claim(store, workload);
      return true;
    } catch (ClaimException refused) {
      assertThat(refused.code()).isEqualTo(OperatorCode.STORE_MOVED);
      return false;
    }
  }

  /** Writes until the process ends at one of them. */
  private static final class Writes {
    private final int last;
    private final boolean isMade;
    private int count;

    /**
     * Counts the writes of both stores.
     *
     * @param isMade whether the last write is made, and its answer does not arrive
     */
    Writes(int last, boolean isMade) {
      this.last = last;
      this.isMade = isMade;
    }

    RecordStore of(RecordStore store) {
      return new Disturbed(store) {
        @Override
        public WriteResult write(List<RecordWrite> writes) {
          boolean ends = count++ == last;
          WriteResult result = ends && !isMade ? null : super.write(writes);
          if (result == null || ends) {
            throw new IllegalStateException("killed");
          }
          return result;
        }
      };
    }
  }

  /** The writes of a move of four records: two marks, four records, a mark, and one removed. */
  private static final int WRITES = 8;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whereverAMoveEndsAtMostOneStoreIsUsedAndTheNextRunCompletesIt(boolean isMade) {
    // Before the first write that is made, there is no move.
    for (int last = isMade ? 0 : 1; last <= WRITES; last++) {
      try (MemoryStore source = new MemoryStore();
          MemoryStore target = new MemoryStore()) {
        claim(source, "web");
        put(source, DB, value("a volume"));
        put(source, IDENTITY, value("an identity"));
        put(source, UNKNOWN, value("\u0007 not known"));
        Writes writes = new Writes(last, isMade);
        boolean isEnded = false;
        try {
          StoreMove.run(writes.of(source), writes.of(target));
        } catch (IllegalStateException killed) {
          isEnded = true;
        }
        assertThat(isEnded).as("write %s", last).isEqualTo(last < WRITES);

        boolean isSourceUsed = isClaimed(source, "at-source");
        boolean isTargetUsed = isClaimed(target, "at-target");

        assertThat(isSourceUsed && isTargetUsed).as("write %s", last).isFalse();
        assertThat(isSourceUsed).as("write %s", last).isEqualTo(last < (isMade ? 1 : 2));
        assertThat(isTargetUsed)
            .as("write %s", last)
            .isEqualTo(last >= (isMade ? WRITES - 1 : WRITES));

        assertThat(StoreMove.run(source, target).wasComplete())
            .as("write %s", last)
            .isEqualTo(last >= (isMade ? WRITES - 2 : WRITES - 1));

        assertThat(isClaimed(source, "later")).isFalse();
        assertThat(isClaimed(target, "later")).isTrue();
        Set<String> holders =
            new ClaimBook(target, Clock.systemUTC())
                .read(VolumeKey.of("db")).holders().keySet().stream()
                    .map(WorkloadId::toString)
                    .collect(Collectors.toSet());
        assertThat(holders.contains("at-source")).isEqualTo(isSourceUsed);
        assertThat(holders.contains("at-target")).isEqualTo(isTargetUsed);
        assertThat(holders).contains("web", "later");
        assertThat(records(target)).hasSize(4);
      }
    }
  }

  @Test
  void aMoveThatIsCompleteDoesNotBringRemovedRecordsBack() {
    filled();
    try (LocalStore source = LocalStore.open(directory())) {
      StoreMove.run(source, memory);
      assertThat(memory.write(new RecordWrite(DB, memory.read(DB), Optional.empty())))
          .isInstanceOf(RecordStore.WriteResult.Written.class);
      put(memory, IDENTITY, value("another one"));

      assertThat(StoreMove.run(source, memory))
          .isEqualTo(
              new StoreMove.Result(
                  source.identity(),
                  memory.identity(),
                  Map.of(Space.CLAIMS, 1, Space.VOLUMES, 1, Space.CLUSTER, 2),
                  0,
                  true));
      assertThat(memory.read(DB)).isEmpty();
    }
  }

  @Test
  void aTargetStaysMarkedWhereTheRecordsAreTakenBackBeforeTheEnd() {
    filled();
    try (LocalStore source = LocalStore.open(directory())) {
      RecordStore interrupted =
          new Disturbed(source) {
            @Override
            public WriteResult write(List<RecordWrite> writes) {
              WriteResult result = super.write(writes);
              if (MoveMark.in(source)
                  .read(MoveMark.KEY)
                  .value()
                  .filter(MoveMark::isComplete)
                  .isPresent()) {
                assertThat(StoreMove.takeBack(source)).contains(memory.identity());
              }
              return result;
            }
          };

      assertThat(refused(RecordStoreException.class, interrupted, memory))
          .hasMessageEndingWith(
              "failed: another process has changed its mark. Stop all processes that use the"
                  + " stores, and start the move again.");
      assertThat(StoreMove.whyNotUsed(source)).isEmpty();
      assertThat(StoreMove.whyNotUsed(memory)).isPresent();
    }
  }

  @Test
  void aTargetThatGetsAnotherRecordDuringTheMoveSaysThatBothStoresAreMarked() {
    filled();
    Disturbed target =
        new Disturbed(memory) {
          private boolean isDisturbed;

          @Override
          public WriteResult write(List<RecordWrite> writes) {
            WriteResult result = super.write(writes);
            if (!isDisturbed) {
              isDisturbed = true;
              put(memory, RecordKey.of(Space.VOLUMES, VolumeKey.of("other")), value("theirs"));
            }
            return result;
          }
        };
    try (LocalStore source = LocalStore.open(directory())) {
      RecordStoreException stuck = refused(RecordStoreException.class, source, target);
      assertThat(stuck.reason()).isEqualTo(Reason.IN_DOUBT);
      assertThat(stuck)
          .hasMessageEndingWith(
              "Both stores already have the mark of the move: give the move up"
                  + " with 'csi4j store take-back' first.");
      assertThat(StoreMove.whyNotUsed(source)).isPresent();
    }
  }

  @Test
  void recordsThatWereMovedTwiceAreMovedBack() {
    Map<RecordKey, StateValue> before = filled();
    try (LocalStore source = LocalStore.open(directory());
        LocalStore back = LocalStore.open(temp.resolve("back"))) {
      StoreMove.run(source, memory);

      assertThat(StoreMove.run(memory, back).copied()).isEqualTo(4);
      assertThat(records(back)).isEqualTo(before);
      assertThat(refused(IllegalArgumentException.class, memory, source))
          .hasMessageStartingWith(
              "Moving the records failed: the records of store '%s' were moved to store '%s', but"
                      .formatted(memory.identity(), back.identity())
                  + " this target is store '");
      assertThat(refused(IllegalArgumentException.class, back, memory))
          .hasMessage(
              "Moving the records failed: the records of store '%s' were moved to store '%s'. Use"
                      .formatted(memory.identity(), back.identity())
                  + " an empty store.");
    }
  }

  @Test
  void theTargetOfAMoveThatIsNotCompleteIsNoSourceAndNoTargetOfAnother() {
    filled();
    Writes writes = new Writes(4, false);
    try (LocalStore source = LocalStore.open(directory());
        MemoryStore other = new MemoryStore()) {
      assertThatIllegalStateException().isThrownBy(() -> StoreMove.run(source, writes.of(memory)));
      String open =
          "the move of the records of store '%s' to store '%s' is not complete"
              .formatted(source.identity(), memory.identity());
      assertThat(StoreMove.whyNotUsed(source)).contains(new ReasonText(open));
      assertThat(StoreMove.whyNotUsed(memory)).contains(new ReasonText(open));
      assertThat(refused(IllegalArgumentException.class, memory, other))
          .hasMessage("Moving the records failed: " + open + ". Run that move again first.");
      assertThat(refused(IllegalArgumentException.class, other, memory))
          .hasMessage("Moving the records failed: " + open + ". Use an empty store.");
      RecordStoreException back =
          catchThrowableOfType(RecordStoreException.class, () -> StoreMove.takeBack(memory));
      assertThat(back.reason()).isEqualTo(Reason.MOVED);
      assertThat(back)
          .hasMessage(
              "Taking the records back failed: "
                  + open
                  + ". Take them back in the source, and empty this store before another move.");
    }
  }

  @Test
  void aWriteThatIsUnderWayAtTheMarkIsMoved() throws Exception {
    MemoryMedium medium = MemoryMedium.create();
    StateStore state = medium.open();
    CountDownLatch isWriting = new CountDownLatch(1);
    CountDownLatch isMarked = new CountDownLatch(1);
    CountDownLatch mayWrite = new CountDownLatch(1);
    StateKey mark = StoreCodec.stateKey(MoveMark.KEY);
    StateStore slow =
        (StateStore)
            Proxy.newProxyInstance(
                StateStore.class.getClassLoader(),
                new Class<?>[] {StateStore.class},
                (proxy, method, values) -> {
                  if (method.getName().equals("put") && values[0].equals(mark)) {
                    isMarked.countDown();
                  } else if (method.getName().equals("put")
                      && values[0].equals(StoreCodec.stateKey(DB))) {
                    isWriting.countDown();
                    mayWrite.await();
                  }
                  return method.invoke(state, values);
                });
    try (LocalStore source = LocalStore.on(slow)) {
      FutureTask<Boolean> write =
          new FutureTask<>(
              () -> {
                put(source, DB, value("a volume"));
                return true;
              });
      new Thread(write, "writes").start();
      isWriting.await();
      FutureTask<StoreMove.Result> move = new FutureTask<>(() -> StoreMove.run(source, memory));
      Thread mover = new Thread(move, "moves");
      mover.start();
      while (mover.getState() != Thread.State.WAITING && isMarked.getCount() > 0) {
        Thread.onSpinWait();
      }
      assertThat(isMarked.getCount()).as("the mark waits for the write").isEqualTo(1);
      mayWrite.countDown();

      assertThat(write.get()).isTrue();
      assertThat(move.get().copied()).isEqualTo(1);
      assertThat(records(memory)).containsOnlyKeys(DB);
    }
  }

  @Test
  void aTargetThatBecomesAnotherStoreEndsTheMove() {
    filled();
    try (LocalStore source = LocalStore.open(directory());
        MemoryStore other = new MemoryStore()) {
      Disturbed replaced =
          new Disturbed(memory) {
            private int writes;

            @Override
            public StoreIdentity identity() {
              return writes > 2 ? other.identity() : super.identity();
            }

            @Override
            public WriteResult write(List<RecordWrite> all) {
              return ++writes > 2 ? new WriteResult.Conflict(List.of()) : super.write(all);
            }
          };
      RecordStoreException refused = refused(RecordStoreException.class, source, replaced);
      assertThat(refused.reason()).isEqualTo(Reason.IN_DOUBT);
      assertThat(refused)
          .hasMessage(
              "Moving the records failed: the target is store '%s' now, but was store '%s' when the"
                      .formatted(other.identity(), memory.identity())
                  + " move began. Find out what has replaced it, and start the move again with the"
                  + " right store.");
    }
  }

  @Test
  void aTargetThatRefusesEachWriteEndsTheMove() {
    filled();
    Disturbed refusing =
        new Disturbed(memory) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            return writes.get(0).key().equals(MoveMark.KEY)
                ? super.write(writes)
                : new WriteResult.Conflict(List.of());
          }
        };
    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(refused(RecordStoreException.class, source, refusing))
          .hasMessage(
              "Moving CLAIMS/default/db failed: the target refuses the write, and does not have the"
                  + " record. Start the move again; it continues where it stopped.");
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
    try (LocalStore source = LocalStore.open(directory())) {
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
    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(refused(RecordStoreException.class, source, silent))
          .hasMessage(
              "Marking store '%s' failed: no answer came. Start the move again; it continues where"
                      .formatted(memory.identity())
                  + " it stopped.");
    }
  }

  @Test
  void aTargetWithAnotherRecordIsRefusedAndTheSourceStaysUsable() {
    filled();
    RecordKey other = RecordKey.of(Space.VOLUMES, VolumeKey.of("other"));
    put(memory, other, value("theirs"));
    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .hasMessage(
              "Moving the records failed: the target, store '%s', has other records:"
                      .formatted(memory.identity())
                  + " VOLUMES/default/other with version 1, 6 bytes and hash 4c55a855, of which the"
                  + " source, store '%s', has none. Use an empty store."
                      .formatted(source.identity()));
      assertThat(StoreMove.whyNotUsed(source)).isEmpty();
    }
    assertThat(records(memory)).containsOnlyKeys(other);
  }

  @Test
  void aTargetWithAnotherValueIsRefusedWithBoth() {
    Map<RecordKey, StateValue> before = filled();
    put(memory, DB, value("another volume"));
    try (LocalStore source = LocalStore.open(directory())) {
      long version = source.read(DB).orElseThrow().version();
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .hasMessage(
              "Moving the records failed: the target, store '%s', has".formatted(memory.identity())
                  + " VOLUMES/default/db with version 1, 14 bytes and hash fefbd026, and the"
                  + " source,"
                  + " store '%s', has VOLUMES/default/db with version %s, 8 bytes and hash"
                      .formatted(source.identity(), version)
                  + " d0bda87c. Use an empty store.");
      assertThat(records(source)).isEqualTo(before);
      assertThat(StoreMove.whyNotUsed(source)).isEmpty();
    }
  }

  @Test
  void aSecondTargetIsRefusedWithBoth() {
    filled();
    try (LocalStore source = LocalStore.open(directory());
        MemoryStore second = new MemoryStore()) {
      StoreMove.run(source, memory);
      assertThat(refused(IllegalArgumentException.class, source, second))
          .hasMessage(
              "Moving the records failed: the records of store '%s' were moved to store '%s', but"
                      .formatted(source.identity(), memory.identity())
                  + " this target is store '%s'. Use that store, or take the records back first:"
                      .formatted(second.identity())
                  + " 'csi4j store take-back'.");
      assertThat(records(second)).isEmpty();
      assertThat(refused(IllegalArgumentException.class, source, source))
          .hasMessage(
              "Moving the records failed: both stores are '%s'. Use another store."
                  .formatted(source.identity()));
    }
  }

  @Test
  void aTargetWithEqualRecordsAndNoMarkIsRefused() {
    filled();
    put(memory, DB, value("a volume"));
    try (LocalStore source = LocalStore.open(directory())) {
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .hasMessage(
              "Moving the records failed: the target, store '%s', has records, such as"
                      .formatted(memory.identity())
                  + " VOLUMES/default/db with version 1, 8 bytes and hash d0bda87c, but no move "
                  + "to it has begun. Use an empty store.");
      assertThat(StoreMove.whyNotUsed(source)).isEmpty();
      assertThat(StoreMove.whyNotUsed(memory)).isEmpty();
    }
  }

  @Test
  void aRecordThatDoesNotSayWhoseItIsIsNotMoved() {
    MemoryMedium medium = MemoryMedium.create();
    LocalStore.on(medium.open()).close();
    DamagedClaims.altogether(medium, VolumeKey.of("db"));
    try (LocalStore source = LocalStore.on(medium.open())) {
      assertThat(refused(RecordStoreException.class, source, memory))
          .hasMessageMatching(
              "Moving CLAIMS/CLAIM/\\w+ failed: its bytes do not contain its key\\. Find out "
                  + "which volume it belongs to, and remove or restore the record\\.");
      assertThat(StoreMove.whyNotUsed(source)).isEmpty();
    }
  }

  @Test
  void aSourceWhoseJournalIsDamagedIsNotMoved() {
    MemoryMedium medium = MemoryMedium.create();
    LocalStore.on(medium.open()).close();
    medium.doubt(
        Uncertainty.aboutMoreThan(
            StateException.Reason.JOURNAL_DAMAGED, Set.of(), "3 records are damaged."));
    try (LocalStore source = LocalStore.on(medium.open())) {
      RecordStoreException refused = refused(RecordStoreException.class, source, memory);
      assertThat(refused.reason()).isEqualTo(Reason.IN_DOUBT);
      assertThat(refused)
          .hasMessageStartingWith(
              "Moving the records failed: the journal of the source is uncertain: 3 records are"
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
                  + " store wrote it. Find out which volume it belongs to, and remove or restore "
                  + "the"
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
            return Optional.of(new ReasonText("it has records, but no mark"));
          }
        };
    try (LocalStore source = LocalStore.open(directory())) {
      RecordStoreException refused = refused(RecordStoreException.class, source, doubtful);
      assertThat(refused.reason()).isEqualTo(Reason.IN_DOUBT);
      assertThat(refused)
          .hasMessage(
              "Moving the records failed: the target, store '%s', accepts no writes: it has records"
                      .formatted(memory.identity())
                  + ", but no mark. Compare its claims with what the nodes have mounted, then"
                  + " accept the store with 'csi4j store accept'.");
      assertThat(refused(RecordStoreException.class, doubtful, new MemoryStore()).reason())
          .isEqualTo(Reason.IN_DOUBT);
    }
  }

  @Test
  void aLookAtADirectoryReadsWithoutOpeningItAndSaysThatItWasMoved() {
    Map<RecordKey, StateValue> before = filled();
    try (LocalStore source = LocalStore.open(directory());
        RecordStore look = LocalStore.look(directory(), Optional.empty())) {
      assertThat(records(look)).isEqualTo(before);
      assertThat(look.identity()).isEqualTo(source.identity());
      assertThat(StoreMove.whyNotUsed(look)).isEmpty();
      StoreMove.check(look, memory);
      assertThat(records(memory)).isEmpty();
      StoreMove.run(source, memory);
      assertThat(StoreMove.whyNotUsed(LocalStore.look(directory(), Optional.empty())))
          .isPresent()
          .isEqualTo(StoreMove.whyNotUsed(source));
      assertThat(
              catchThrowableOfType(
                  RecordStoreException.class, () -> put(look, DB, value("written"))))
          .hasMessage(
              "Writing VOLUMES/default/db failed: the store was opened only for reading. Open it"
                  + " with LocalStore.open.");
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
            "Reading the records in "
                + directory()
                + " failed: they are sealed. Configure the key.");
  }

  @Test
  void recordsOfASealedDirectoryAreSealedInTheTarget() {
    try (LocalStore source = LocalStore.open(directory(), SEALER)) {
      put(source, DB, value("a secret"));
    }
    try (LocalStore source = LocalStore.open(directory(), SEALER)) {
      assertThat(refused(IllegalArgumentException.class, source, memory))
          .hasMessage(
              "Moving VOLUMES/default/db failed: it is sealed in the source, but the target would"
                  + " store it in clear text. Configure the key of the target.");
      assertThat(StoreMove.whyNotUsed(source)).isEmpty();

      StoreMove.run(source, sealedWith(memory, SEALER));

      byte[] there = memory.read(DB).orElseThrow().value().bytes();
      assertThat(StateValue.ofWrapped(there).isSealed()).isTrue();
      assertThat(SEALER.open(SealedBytes.unmarked(there), RecordValues.about(DB)))
          .isEqualTo(value("a secret").bytes());
      assertThat(StoreMove.run(source, sealedWith(memory, SEALER)).copied()).isZero();
    }
    try (LocalStore back = LocalStore.open(temp.resolve("back"), SEALER)) {
      StoreMove.run(sealedWith(memory, SEALER), back);
      assertThat(records(back)).isEqualTo(Map.of(DB, value("a secret")));
    }
    assertThat(StoreMove.takeBack(sealedWith(memory, SEALER))).isPresent();
    try (LocalStore clear = LocalStore.open(temp.resolve("clear"))) {
      assertThat(refused(IllegalArgumentException.class, sealedWith(memory, SEALER), clear))
          .hasMessageStartingWith("Moving VOLUMES/default/db failed: it is sealed in the source,");
    }
  }

  @Test
  void sealedRecordsAreCopiedAsTheyAreWithoutAKeyAndWithTheSameOne() {
    byte[] sealed = SealedBytes.marked(SEALER.seal(value("a").bytes(), RecordValues.about(DB)));
    put(memory, DB, StateValue.ofWrapped(sealed));
    try (MemoryStore unopened = new MemoryStore();
        MemoryStore same = new MemoryStore();
        MemoryStore other = new MemoryStore()) {
      StoreMove.run(memory, unopened);
      assertThat(StoreMove.takeBack(memory)).isPresent();
      StoreMove.run(memory, sealedWith(same, SEALER));
      assertThat(StoreMove.takeBack(memory)).isPresent();
      StoreMove.run(sealedWith(memory, SEALER), sealedWith(other, OTHER_SEALER));
      assertThat(StoreMove.takeBack(sealedWith(memory, SEALER))).isPresent();

      assertThat(records(unopened)).isEqualTo(records(memory)).isEqualTo(records(same));
      assertThat(
              OTHER_SEALER.open(
                  SealedBytes.unmarked(other.read(DB).orElseThrow().value().bytes()),
                  RecordValues.about(DB)))
          .isEqualTo(value("a").bytes());
      assertThat(
              refused(
                  IllegalArgumentException.class,
                  memory,
                  sealedWith(new MemoryStore(), OTHER_SEALER)))
          .hasMessage(
              "Moving VOLUMES/default/db failed: it is sealed with an unknown key. Configure the"
                  + " key of the source.");
    }
  }
}
