package io.csi4j.volume.claim.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.RoughStore;
import io.csi4j.volume.store.RoughStore.Fate;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimBookTest {

  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
  private static final VolumeKey DB = VolumeKey.of("db");

  private final RoughStore store = new RoughStore();
  private final ClaimBook book = new ClaimBook(store, CLOCK);

  private static VolumeUse usage(String workload) {
    return VolumeUse.of(DB, WorkloadId.of(workload));
  }

  private static ClaimRequest wish(String workload, String node) {
    return ClaimRequest.builder(
            usage(workload),
            NodeName.of(node),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  private static ClaimException failure(Runnable work) {
    ClaimException failure = catchThrowableOfType(ClaimException.class, work::run);
    assertThat(failure).as("a refusal").isNotNull();
    return failure;
  }

  /** A store that says yes to two who claim at the same time, and keeps the second. */
  private static final class TwiceStore extends PassingStore {
    private final RecordStore kept;
    private final RecordStore empty = new MemoryStore();
    private boolean forgets;

    TwiceStore() {
      this(new MemoryStore());
    }

    private TwiceStore(RecordStore kept) {
      super(kept);
      this.kept = kept;
    }

    @Override
    public Optional<StoredRecord> read(RecordKey key) {
      return (forgets ? empty : kept).read(key);
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      return kept.write(
          writes.stream()
              .map(
                  each ->
                      new RecordWrite(
                          each.key(), forgets ? kept.read(each.key()) : each.seen(), each.next()))
              .toList());
    }

    @Override
    public void close() {
      super.close();
      empty.close();
    }
  }

  @Test
  void ofTwoToWhomAStoreGaveOneVolumeTheOneThatItForgotIsToldThatItsClaimIsOver() {
    TwiceStore broken = new TwiceStore();
    ClaimBook one = new ClaimBook(broken, CLOCK);
    ClaimHolder first = one.claim(wish("web", "n1"));
    broken.forgets = true;
    ClaimHolder second = new ClaimBook(broken, CLOCK).claim(wish("job", "n2"));
    broken.forgets = false;
    assertThat(second.epoch()).as("both were told yes").isEqualTo(first.epoch());

    ClaimBook asked = new ClaimBook(broken, CLOCK);
    assertThat(asked.standing(usage("web"), first.epoch()))
        .isEqualTo(new ClaimStanding.Stale(first.epoch()));
    assertThat(asked.standing(usage("job"), second.epoch())).isEqualTo(new ClaimStanding.Current());
  }

  @Test
  void whyAClaimWouldBeRefusedIsAskedForAndNothingIsWritten() {
    assertThat(book.whyNot(wish("web", "n1"))).isEmpty();
    assertThat(book.read(DB).epoch()).as("nothing is claimed").isZero();
    assertThat(book.claim(wish("web", "n1")).epoch()).isEqualTo(1);

    assertThat(book.whyNot(wish("web", "n1"))).as("it has the claim").isEmpty();
    OperatorMessage why = book.whyNot(wish("job", "n2")).orElseThrow();
    ClaimException refused = failure(() -> book.claim(wish("job", "n2")));
    assertThat(why.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(why.seen()).isEqualTo(refused.operatorMessage().seen());
    assertThat(book.read(DB).epoch()).isEqualTo(1);
    assertThat(
            book.asking(
                    request ->
                        Optional.of(
                            new ClaimDecision.Refused(
                                OperatorCode.VOLUME_UNKNOWN,
                                Optional.empty(),
                                new ReasonText("no such volume"))))
                .whyNot(wish("web", "n1")))
        .as("the catalog is asked of new claims only")
        .isEmpty();
  }

  @Test
  void aClaimGoesAllTheWayAndBack() {
    ClaimHolder holder = book.claim(wish("web", "n1"));

    assertThat(holder.epoch()).isEqualTo(1);
    assertThat(book.read(DB).holder(WorkloadId.of("web"))).contains(holder);
    for (ClaimHolder.State state : ClaimHolder.State.values()) {
      assertThat(book.advance(usage("web"), state).orElseThrow().state()).isEqualTo(state);
    }
    book.forget(usage("web"));
    assertThat(book.read(DB).holders()).isEmpty();
    assertThat(book.claim(wish("job", "n2")).epoch()).isEqualTo(2);
  }

  @Test
  @Tag("K8")
  void theClocksOfTwoMachinesDecideNothing() {
    ClaimBook ahead = new ClaimBook(store, Clock.offset(CLOCK, Duration.ofDays(3650)));
    ClaimBook behind = new ClaimBook(store, Clock.offset(CLOCK, Duration.ofDays(-3650)));
    ClaimHolder web = ahead.claim(wish("web", "n1"));

    assertThat(failure(() -> behind.claim(wish("job", "n2"))).code())
        .as("K8: a claim from the future is held")
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(behind.standing(usage("web"), web.epoch()))
        .as("K8: and current, by its epoch")
        .isEqualTo(new ClaimStanding.Current());
    assertThat(behind.advance(usage("web"), ClaimHolder.State.READY_TO_FREE)).isPresent();
    behind.forget(usage("web"));
    ClaimHolder job = behind.claim(wish("job", "n2"));
    assertThat(ahead.standing(usage("web"), web.epoch()))
        .as("K8: the later epoch counts, though its clock is earlier")
        .isEqualTo(new ClaimStanding.Stale(job.epoch()));
    assertThat(failure(() -> ahead.claim(wish("web", "n1"))).code())
        .as("K8: a claim from long ago is held")
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
  }

  @Test
  @Tag("K2")
  void whoComesSecondIsToldWhoHoldsIt() {
    book.claim(wish("web", "n1"));

    ClaimException failure = failure(() -> book.claim(wish("job", "n2")));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(failure.code()).as("K2: the other is refused").isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(failure.operatorMessage().doing().text())
        .isEqualTo("claiming volume default/db for workload 'job'");
    assertThat(failure.operatorMessage().seen().text())
        .as("K2: the other is told who, where and since when")
        .isEqualTo(
            "access mode SINGLE_NODE_WRITER admits one node (MULTI_NODE_READER_ONLY admits readers"
                + " on several, and MULTI_NODE_MULTI_WRITER also writers), and the volume is held"
                + " by workload 'web' on node 'n1' (WRITE, TAKEN, since 0 s)");
  }

  @ParameterizedTest
  @EnumSource(
      value = Fate.class,
      names = {"LOST", "UNANSWERED", "LATE"})
  @Tag("K1")
  void aClaimWhoseAnswerIsLostIsGrantedOnce(Fate fate) {
    store.next(fate);

    ClaimHolder holder = book.claim(wish("web", "n1"));
    store.deliver();

    assertThat(book.read(DB).holders().values()).as("K1: done once").containsExactly(holder);
    assertThat(holder.epoch()).isEqualTo(1);
  }

  @Test
  void aClaimThatArrivesAfterAnotherOneDoesNothing() {
    store.next(Fate.LATE);
    book.claim(wish("web", "n1"));
    ClaimHolder.State free = ClaimHolder.State.READY_TO_FREE;
    assertThat(book.advance(usage("web"), free).orElseThrow().state()).isEqualTo(free);
    book.forget(usage("web"));
    ClaimHolder job = book.claim(wish("job", "n2"));

    store.deliver();

    assertThat(book.read(DB).holders().values()).containsExactly(job);
  }

  @Test
  void aClaimOfWhichNothingCanBeLearntIsUncertain() {
    store.next(Fate.LOST, Fate.LOST, Fate.LOST, Fate.LOST, Fate.LOST, Fate.LOST, Fate.LOST);
    store.next(Fate.LATE);

    ClaimException failure = failure(() -> book.claim(wish("web", "n1")));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    store.deliver();
    assertThat(book.claim(wish("web", "n1")).epoch()).as("again").isEqualTo(1);
  }

  /**
   * The first round loads the classes: an agent that reads a class while it is loaded, such as
   * PIT's, clears the flag of the thread.
   */
  @Test
  void aClaimThatOthersOvertakeAThousandTimesIsGivenUpAlsoByAnInterruptedThread() {
    for (boolean isInterrupted : List.of(false, true)) {
      AtomicInteger tries = new AtomicInteger();
      RecordStore busy =
          new PassingStore(store) {
            @Override
            public WriteResult write(List<RecordWrite> writes) {
              tries.incrementAndGet();
              return new WriteResult.Conflict(store.read(writes.get(0).key()).stream().toList());
            }
          };
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }

      ClaimException failure = failure(() -> new ClaimBook(busy, CLOCK).claim(wish("web", "n1")));

      assertThat(Thread.interrupted()).as("the flag afterwards").isEqualTo(isInterrupted);
      assertThat(tries).hasValue(1_000);
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
      assertThat(failure.operatorMessage().seen().text())
          .isEqualTo("other writers have changed it 1000 times meanwhile");
    }
  }

  @Test
  @Tag("K6")
  void aStoreThatIsDownChangesNothing() {
    store.next(Fate.DOWN);

    ClaimException atWriting = failure(() -> book.claim(wish("web", "n1")));
    store.silent(true);
    ClaimException atReading = failure(() -> new ClaimBook(store, CLOCK).claim(wish("web", "n1")));
    store.silent(false);

    for (ClaimException failure : List.of(atWriting, atReading)) {
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
      assertThat(failure.operatorMessage().seen().text()).isEqualTo("nobody answers");
    }
    assertThat(book.read(DB).holders()).as("K6: nothing is claimed").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, UNAVAILABLE, CLAIM_STORE_DOWN",
    "CLOSED, UNAVAILABLE, CLAIM_STORE_DOWN",
    "TOO_LARGE, REFUSED, CLAIM_TOO_LARGE",
    "UNREADABLE, HELD, CLAIM_UNREADABLE",
    "IN_DOUBT, HELD, CLAIM_STORE_WENT_BACK"
  })
  void aRefusalOfTheStoreSaysWhatToDoNext(
      RecordStoreException.Reason reason, ChangeOutcome outcome, OperatorCode code) {
    store.refuse(new RecordStoreException(reason, "It is so. Do that."));

    ClaimException failure = failure(() -> book.claim(wish("web", "n1")));

    assertThat(failure.outcome()).isEqualTo(outcome);
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.operatorMessage().seen().text()).isEqualTo("It is so. Do that");
    assertThat(failure).hasCauseInstanceOf(RecordStoreException.class);
  }

  /** Counts the questions, and may have gone back to other records. */
  private static final class InOneStep extends PassingStore {
    private RecordStore store;
    private final List<String> asked = new ArrayList<>();

    InOneStep() {
      this(new MemoryStore());
    }

    private InOneStep(RecordStore store) {
      super(store);
      this.store = store;
    }

    @Override
    public Optional<StoredRecord> read(RecordKey key) {
      asked.add("read");
      return store.read(key);
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      asked.add("write");
      return store.write(writes);
    }

    private List<String> asked() {
      List<String> all = List.copyOf(asked);
      asked.clear();
      return all;
    }
  }

  @Test
  void whatWasSeenLastIsTriedWithoutALookAndARefusalIsNot() {
    InOneStep counted = new InOneStep();
    ClaimBook first = new ClaimBook(counted, CLOCK);
    ClaimBook second = new ClaimBook(counted, CLOCK);

    ClaimHolder web = first.claim(wish("web", "n1"));
    assertThat(counted.asked())
        .as("and the mark of a move")
        .containsExactly("read", "read", "write");
    assertThat(first.claim(wish("web", "n1"))).as("no change").isEqualTo(web);
    assertThat(counted.asked()).containsExactly("read");
    assertThat(failure(() -> first.claim(wish("job", "n2"))).code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(counted.asked()).containsExactly("read");

    assertThat(first.advance(usage("web"), ClaimHolder.State.READY_TO_FREE)).isPresent();
    first.forget(usage("web"));
    assertThat(counted.asked()).containsExactly("write", "write");

    // What another one has done meanwhile is seen, whether it stands in the way or not.
    assertThat(second.claim(wish("job", "n2")).epoch()).isEqualTo(2);
    assertThat(counted.asked())
        .as("and the mark of a move")
        .containsExactly("read", "read", "write");
    assertThat(failure(() -> first.claim(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(counted.asked()).containsExactly("write", "read");
    assertThat(second.advance(usage("job"), ClaimHolder.State.READY_TO_FREE)).isPresent();
    second.forget(usage("job"));
    assertThat(counted.asked()).containsExactly("write", "write");
    assertThat(first.claim(wish("web", "n1")).epoch()).as("refused from memory").isEqualTo(3);
    assertThat(counted.asked()).containsExactly("read", "write");
  }

  @Test
  void aRestoredStoreInWhichAVersionFitsByChanceIsNotTakenForTheFormerOne() {
    InOneStep store = new InOneStep();
    ClaimBook first = new ClaimBook(store, CLOCK);
    assertThat(first.claim(wish("web", "n1")).epoch()).isEqualTo(1);
    assertThat(first.advance(usage("web"), ClaimHolder.State.READY_TO_FREE)).isPresent();
    first.forget(usage("web"));
    // Counted to the same version by other writes: somebody else holds it there.
    MemoryStore other = new MemoryStore();
    ClaimBook stranger = new ClaimBook(other, CLOCK);
    ClaimHolder job = stranger.claim(wish("job", "n2"));
    assertThat(stranger.change(usage("job"), ClaimMode.READ).mode()).isEqualTo(ClaimMode.READ);
    assertThat(stranger.change(usage("job"), ClaimMode.WRITE).mode()).isEqualTo(ClaimMode.WRITE);
    assertThat(StoredClaims.in(other).read(DB).version())
        .isEqualTo(StoredClaims.in(store).read(DB).version());
    store.store = other;

    ClaimException failure = failure(() -> first.claim(wish("web", "n1")));

    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(StoredClaims.in(store).claim(DB).holders().values()).containsExactly(job);
  }

  /** A store that became another one, in which each write expects the former one. */
  private static final class FencedStore extends PassingStore {
    private final StoreIdentity another = new StoreIdentity("promoted");
    private boolean isAnother;
    private int refused;

    FencedStore() {
      super(new MemoryStore());
    }

    @Override
    public StoreIdentity identity() {
      return isAnother ? another : super.identity();
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      if (!isAnother) {
        return super.write(writes);
      }
      refused++;
      return new WriteResult.Conflict(read(writes.get(0).key()).stream().toList());
    }
  }

  @Test
  void aReleaseInAStoreThatTakesNothingAsAnotherOneIsToldSoAtOnce() {
    FencedStore fenced = new FencedStore();
    ClaimBook first = new ClaimBook(fenced, CLOCK);
    StoreIdentity before = fenced.identity();
    ClaimHolder web = first.claim(wish("web", "n1"));
    fenced.isAnother = true;

    ClaimException failure =
        failure(() -> first.advance(usage("web"), ClaimHolder.State.READY_TO_FREE));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(failure.operatorMessage().seen().text())
        .isEqualTo("it is store 'promoted' now, but was '" + before + "'");
    assertThat(fenced.refused).as("refused writes").isEqualTo(2);
    assertThat(first.read(DB).holders().values()).containsExactly(web);
  }

  @Test
  void nothingIsClaimedFromAStoreThatIsInDoubtButItTakesBack() {
    ClaimHolder web = book.claim(wish("web", "n1"));
    store.doubt(new ReasonText("half of it is gone"));

    ClaimException failure = failure(() -> book.claim(wish("job", "n2")));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(failure.operatorMessage().seen().text()).isEqualTo("half of it is gone");
    assertThat(failure(() -> book.isCurrent(usage("web"), web.epoch())).code())
        .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(book.advance(usage("web"), ClaimHolder.State.UNPUBLISHING)).isPresent();
  }

  @Test
  void aWriteWithoutAnswerToAStoreThatFallsSilentIsUncertain() {
    store.next(Fate.UNANSWERED);
    ClaimBook deaf = new ClaimBook(new Deaf(store), CLOCK);

    ClaimException failure = failure(() -> deaf.claim(wish("web", "n1")));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    assertThat(failure.operatorMessage().seen().text())
        .isEqualTo("the answer was lost, and the store cannot be read: nobody answers");
  }

  /** The write of a deletion's hold arrived after its caller had been told that nothing changed. */
  @Test
  void aStoreThatFallsSilentWhileAWriteIsOnItsWayLeavesTheChangeUncertain() {
    store.next(Fate.LATE, Fate.DOWN);
    ClaimException atWriting = failure(() -> book.holdForDeletion(DB));
    store.deliver();
    assertThat(book.read(DB).holder(Claim.DELETION)).as("after all").isPresent();
    ReadsLeft reads = new ReadsLeft(store);
    ClaimBook other = new ClaimBook(reads, CLOCK);
    other.read(DB);

    store.next(Fate.LATE);
    // The mark of a move, and the claim.
    reads.left = 2;
    ClaimException atReading = failure(() -> other.holdForDeletion(DB));

    for (ClaimException failure : List.of(atWriting, atReading)) {
      assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
      assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
      assertThat(failure.operatorMessage().seen().text())
          .isEqualTo(
              "the answer was lost, and the write may still arrive; since then: nobody answers");
    }
  }

  @Test
  void aVolumeThatIsDeletedWhileTheWriteOfItsClaimIsOnItsWayLeavesTheClaimUncertain() {
    AtomicInteger asked = new AtomicInteger();
    ClaimDecision.Refused gone =
        new ClaimDecision.Refused(
            OperatorCode.VOLUME_UNKNOWN, Optional.empty(), new ReasonText("it is gone"));
    ClaimBook asking =
        book.asking(it -> asked.getAndIncrement() == 0 ? Optional.empty() : Optional.of(gone));
    store.next(Fate.LATE);

    ClaimException failure = failure(() -> asking.claim(wish("web", "n1")));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    store.deliver();
    assertThat(book.read(DB).holders()).as("after all").hasSize(1);
  }

  @Test
  void aWriteThatAnotherOneHasOvertakenOnItsWayLeavesNothingUncertain() {
    RecordStore overtaking =
        new PassingStore(store) {
          @Override
          public WriteResult write(List<RecordWrite> writes) {
            WriteResult result = super.write(writes);
            new ClaimBook(store, CLOCK).claim(wish("job", "n2"));
            return result;
          }
        };
    store.next(Fate.LATE);

    ClaimException failure = failure(() -> new ClaimBook(overtaking, CLOCK).holdForDeletion(DB));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(failure.code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);
    store.deliver();
    assertThat(book.read(DB).holders()).containsOnlyKeys(WorkloadId.of("job"));
  }

  /** Becomes another store while it is written to, once it is about to. */
  private static final class RestoredStore extends PassingStore {
    private final StoreIdentity another = new StoreIdentity("promoted");
    private final RoughStore rough;
    private int writesLeft;

    RestoredStore(RoughStore rough, int writesLeft) {
      super(rough);
      this.rough = rough;
      this.writesLeft = writesLeft;
    }

    @Override
    public StoreIdentity identity() {
      return writesLeft == 0 ? another : super.identity();
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      writesLeft = Math.max(0, writesLeft - 1);
      if (writesLeft == 0) {
        rough.deliver();
      }
      return super.write(writes);
    }
  }

  private void isHeldAfterAll(ClaimException failure, String why) {
    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    assertThat(failure.operatorMessage().seen().text())
        .isEqualTo(
            why + "; since then: it is store 'promoted' now, but was '" + store.identity() + "'");
    assertThat(book.read(DB).holder(Claim.DELETION)).as("after all").isPresent();
  }

  /** The caller read that nothing was changed, and the hold of a deletion stayed for ever. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWriteToAStoreThatIsAnotherOneByThenLeavesTheChangeUncertain(boolean isRemembered) {
    ClaimBook restored = new ClaimBook(new RestoredStore(store, 1), CLOCK);
    if (isRemembered) {
      restored.read(DB);
    }

    isHeldAfterAll(failure(() -> restored.holdForDeletion(DB)), "the write was made");

    ClaimException again = failure(() -> restored.holdForDeletion(DB));
    assertThat(again.outcome()).as("nothing is written now").isEqualTo(ChangeOutcome.HELD);
    assertThat(again.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
  }

  @Test
  void aWriteThatArrivesAtAStoreThatIsAnotherOneByThenLeavesTheChangeUncertain() {
    store.next(Fate.LATE);
    ClaimBook restored = new ClaimBook(new RestoredStore(store, 2), CLOCK);

    isHeldAfterAll(
        failure(() -> restored.holdForDeletion(DB)),
        "the answer was lost, and the write may still arrive");
  }

  /** Lets its store be read some more times, and nobody answers then. */
  private static final class ReadsLeft extends PassingStore {
    private int left = Integer.MAX_VALUE;

    ReadsLeft(RoughStore rough) {
      super(rough);
    }

    @Override
    public Optional<StoredRecord> read(RecordKey key) {
      if (left-- == 0) {
        throw new RecordStoreException("nobody answers", new IllegalStateException("line cut"));
      }
      return super.read(key);
    }
  }

  /** Lets its store fall silent with the first write. */
  private static final class Deaf extends PassingStore {
    private final RoughStore rough;

    Deaf(RoughStore rough) {
      super(rough);
      this.rough = rough;
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      rough.silent(true);
      return super.write(writes);
    }
  }

  @Test
  @Tag("K7")
  void nothingIsClaimedFromAStoreThatIsAnotherOneButItTakesBack() {
    MemoryStore restored = new MemoryStore();
    ClaimHolder web = book.claim(wish("web", "n1"));
    assertThat(StoredClaims.in(restored).write(book.read(DB)).version()).isEqualTo(1);
    StoreIdentity before = store.identity();
    store.replaceBy(restored);

    ClaimException failure = failure(() -> book.claim(wish("job", "n2")));

    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(failure.code())
        .as("K7: another store is claimed nothing from")
        .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(failure.operatorMessage().seen().text())
        .isEqualTo("it is store '" + restored.identity() + "' now, but was '" + before + "'");
    assertThat(failure(() -> book.isCurrent(usage("web"), web.epoch())).code())
        .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(book.advance(usage("web"), ClaimHolder.State.UNPUBLISHING))
        .as("K7: it takes back")
        .isPresent();
  }

  @Test
  @Tag("K7")
  void aBookOfAReadOnlyStoreTakesTheStoreThatAPersonHasSettledForItsOwn() {
    store.readOnly(Optional.of(new ReasonText("it has no mark")));
    ClaimBook waiting = new ClaimBook(store, CLOCK).asking(request -> Optional.empty());
    for (Runnable asked :
        List.<Runnable>of(
            () -> waiting.claim(wish("web", "n1")),
            () -> waiting.whyNot(wish("web", "n1")),
            () -> waiting.standing(usage("web"), 1))) {
      ClaimException refusal = failure(asked);
      assertThat(refusal.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(refusal.code())
          .as("K7: a store that may be a copy is claimed nothing from")
          .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
      assertThat(refusal.operatorMessage().seen().text()).isEqualTo("it has no mark");
    }
    assertThat(waiting.read(DB).holders()).as("it is read").isEmpty();

    store.replaceBy(new MemoryStore());
    store.readOnly(Optional.empty());

    assertThat(waiting.claim(wish("web", "n1")).epoch()).isEqualTo(1);
    StoreIdentity settled = store.identity();
    store.replaceBy(new MemoryStore());
    ClaimException refusal = failure(() -> waiting.claim(wish("job", "n2")));
    assertThat(refusal.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(refusal.operatorMessage().seen().text())
        .as("K7: the store that was settled is the one that it has to stay")
        .isEqualTo("it is store '" + store.identity() + "' now, but was '" + settled + "'");
  }

  /** A store that another process has settled, which this one sees in the next answer. */
  private static final class SettledElsewhere extends PassingStore {
    private boolean isSettled;
    private Optional<ReasonText> readOnly = Optional.of(new ReasonText("it has no mark"));

    SettledElsewhere() {
      super(new MemoryStore());
    }

    @Override
    public Optional<StoredRecord> read(RecordKey key) {
      readOnly = isSettled ? Optional.empty() : readOnly;
      return super.read(key);
    }

    @Override
    public Optional<ReasonText> readOnly() {
      return readOnly;
    }
  }

  @Test
  void aClaimThatIsRememberedOfAReadOnlyStoreIsLookedAtSinceAnotherProcessMayHaveSettledIt() {
    SettledElsewhere restored = new SettledElsewhere();
    ClaimBook waiting = new ClaimBook(restored, CLOCK);
    assertThat(failure(() -> waiting.claim(wish("web", "n1"))).code())
        .isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);

    restored.isSettled = true;

    assertThat(waiting.claim(wish("web", "n1")).epoch()).isEqualTo(1);
  }

  @Test
  void aClaimIsCurrentUntilItIsOnItsWayBackOrAnotherOneIsThere() {
    ClaimHolder first = book.claim(wish("web", "n1"));
    assertThat(book.isCurrent(usage("web"), first.epoch())).isTrue();

    assertThat(book.advance(usage("web"), ClaimHolder.State.UNPUBLISHING)).isPresent();
    assertThat(book.isCurrent(usage("web"), first.epoch())).as("on its way back").isFalse();

    assertThat(book.advance(usage("web"), ClaimHolder.State.READY_TO_FREE)).isPresent();
    book.forget(usage("web"));
    ClaimHolder second = book.claim(wish("web", "n2"));
    assertThat(book.isCurrent(usage("web"), first.epoch())).as("of before").isFalse();
    assertThat(book.isCurrent(usage("web"), second.epoch())).isTrue();
  }

  @Test
  void aNodeIsToldWhatItsClaimIsWorth() {
    ClaimHolder first = book.claim(wish("web", "n1"));
    assertThat(book.standing(usage("web"), first.epoch())).isEqualTo(new ClaimStanding.Current());
    assertThat(book.standing(usage("web"), first.epoch() + 1))
        .as("of which the store knows nothing")
        .isEqualTo(new ClaimStanding.Missing());

    assertThat(book.advance(usage("web"), ClaimHolder.State.UNPUBLISHING)).isPresent();
    assertThat(book.standing(usage("web"), first.epoch())).isEqualTo(new ClaimStanding.Leaving());
    for (ClaimHolder.State proven :
        List.of(
            ClaimHolder.State.NODE_DETACHED,
            ClaimHolder.State.CONTROLLER_DETACHED,
            ClaimHolder.State.READY_TO_FREE)) {
      assertThat(book.advance(usage("web"), proven)).isPresent();
      assertThat(book.standing(usage("web"), first.epoch()))
          .as("%s", proven)
          .isEqualTo(new ClaimStanding.Stale(1));
    }
    book.forget(usage("web"));
    assertThat(book.standing(usage("web"), first.epoch())).isEqualTo(new ClaimStanding.Stale(1));

    ClaimHolder second = book.claim(wish("web", "n2"));
    assertThat(book.standing(usage("web"), first.epoch())).isEqualTo(new ClaimStanding.Stale(2));
    assertThat(book.standing(usage("web"), second.epoch())).isEqualTo(new ClaimStanding.Current());
    assertThat(book.standing(VolumeUse.of(VolumeKey.of("other"), WorkloadId.of("web")), 1))
        .isEqualTo(new ClaimStanding.Missing());
  }

  @Test
  @Tag("D-49")
  void givingBackWhatNobodyHasWritesNothing() {
    assertThat(book.advance(usage("web"), ClaimHolder.State.READY_TO_FREE)).isEmpty();
    book.forget(usage("web"));

    assertThat(store.read(ClaimCodec.key(DB))).isEmpty();
  }

  @Test
  @Tag("K2")
  void nomad9239_ofManyWhoClaimAtOnceExactlyOneHasIt() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      List<Callable<Boolean>> claims = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        String workload = "w-" + i;
        claims.add(
            () ->
                catchThrowableOfType(ClaimException.class, () -> book.claim(wish(workload, "n1")))
                    == null);
      }
      int granted = 0;
      for (Future<Boolean> each : threads.invokeAll(claims)) {
        granted += each.get(60, TimeUnit.SECONDS) ? 1 : 0;
      }

      assertThat(granted).as("K2: exactly one has it").isEqualTo(1);
      assertThat(book.read(DB).holders()).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
  }

  // ---- held for a deletion

  @Test
  void noWorkloadHasTheNameOfADeletion() {
    VolumeUse usage = VolumeUse.of(DB, WorkloadId.of("being-deleted"));
    ClaimRequest.Builder request =
        ClaimRequest.builder(
            usage,
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE);

    assertThatIllegalArgumentException()
        .isThrownBy(request::build)
        .withMessageContaining("'being-deleted' is reserved for the deletion of a volume")
        .withMessageEndingWith("Give the workload another name.");
  }

  @Test
  void whileAVolumeIsHeldForItsDeletionNobodyClaimsIt() {
    long held = book.holdForDeletion(DB);

    ClaimException refused = failure(() -> new ClaimBook(store, CLOCK).claim(wish("web", "n1")));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
    assertThat(book.read(DB).epoch()).isEqualTo(1);

    book.endDeletion(DB, held);
    book.endDeletion(DB, held);
    assertThat(book.read(DB).holders()).isEmpty();
    assertThat(book.claim(wish("web", "n1")).epoch()).isEqualTo(2);
  }

  @Test
  void aDeletionThatGoesOnIsNotEndedByWhatWasWrittenForTheOneBefore() {
    long before = book.holdForDeletion(DB);
    StoredClaims claims = StoredClaims.in(store);
    Seen<Claim> seen = claims.read(DB);

    // Another process goes on with it, while the end that the first one wrote is on its way.
    ClaimBook next = new ClaimBook(store, CLOCK);
    long held = next.holdForDeletion(DB);
    WriteResult late = claims.attempt(seen, seen.value().orElseThrow().without(Claim.DELETION));

    assertThat(late).isInstanceOf(WriteResult.Conflict.class);
    book.endDeletion(DB, before);
    assertThat(claims.claim(DB).holder(Claim.DELETION).orElseThrow().epoch()).isEqualTo(held);
    next.endDeletion(DB, held);
    assertThat(claims.claim(DB).holders()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(ClaimHolder.State.class)
  void aVolumeIsNotHeldForItsDeletionBeforeItsLastClaimIsForgotten(ClaimHolder.State state) {
    assertThat(book.claim(wish("web", "n1")).epoch()).isEqualTo(1);
    book.advance(usage("web"), state);

    ClaimException refused = failure(() -> book.holdForDeletion(DB));

    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(refused).hasMessageContaining("workload 'web' on node 'n1'");
    book.advance(usage("web"), ClaimHolder.State.READY_TO_FREE);
    book.forget(usage("web"));
    book.holdForDeletion(DB);
    assertThat(book.read(DB).holders()).hasSize(1);
  }

  @Test
  void nothingIsHeldForItsDeletionInAStoreThatIsAnotherOneThanBefore() {
    ClaimBook known = new ClaimBook(store, CLOCK, new StoreIdentity("another"));

    ClaimException refused = failure(() -> known.holdForDeletion(DB));

    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_STORE_WENT_BACK);
    known.endDeletion(DB, 1);
  }
}
