package io.csi4j.volume.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.catalog.BrokenStore;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.coordination.ScriptedController;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.ControllerWorld;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chores that are done from time to time, by any number of keepers. */
class VolumeKeeperTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Reaper.Throttle AT_ONCE = () -> {};
  private static final NodeName HERE = NodeName.of("n1");
  private static final Clock CLOCK = Clock.fixed(VirtualTime.BEGIN, ZoneOffset.UTC);

  private final VirtualTime time = new VirtualTime();
  private final AtomicInteger runs = new AtomicInteger();
  private final List<VolumeKeeper.Round> told = new CopyOnWriteArrayList<>();

  private VolumeKeeper open(VolumeKeeper.Builder builder) {
    return open(builder, MINUTE);
  }

  private VolumeKeeper open(VolumeKeeper.Builder builder, Duration patience) {
    return builder.listener(told::add).open(time, time, () -> {}, patience);
  }

  private String counted() {
    return "run " + runs.incrementAndGet();
  }

  private static VolumeUse usage(int number) {
    return VolumeUse.of(VolumeKey.of("db-" + number), WorkloadId.of("web"));
  }

  // ---- pauses

  @Test
  void aChoreIsDoneAtOnceAndThenAfterEachPause() {
    try (VolumeKeeper keeper = open(VolumeKeeper.builder().chore("tidy", MINUTE, this::counted))) {
      time.settle();
      assertThat(runs).hasValue(1);
      time.pass(Duration.ofSeconds(59));
      assertThat(runs).hasValue(1);
      time.pass(Duration.ofSeconds(1));
      assertThat(runs).hasValue(2);

      assertThat(keeper.chores())
          .containsExactly(
              new VolumeKeeper.Task(
                  "tidy",
                  MINUTE,
                  false,
                  0,
                  Optional.of(
                      new VolumeKeeper.Round(
                          "tidy",
                          VirtualTime.BEGIN.plus(MINUTE),
                          Duration.ZERO,
                          "run 2",
                          Optional.empty()))));
    }
    assertThat(time.waiting()).as("timers after closing").isZero();
    time.pass(Duration.ofHours(1));
    assertThat(runs).hasValue(2);
  }

  @Test
  void oneOfTheControlPlanesDoesTheChoresAndEachDoesThoseOfItsHost() {
    try (MemoryStore store = new MemoryStore();
        VolumeController first = controller("cp-1", store);
        VolumeController second = controller("cp-2", store);
        VolumeKeeper one = open(keeper(first, store));
        VolumeKeeper two = open(keeper(second, store))) {
      time.settle();
      Waits.until(() -> told.size() == 4);
      assertThat(told)
          .extracting(VolumeKeeper.Round::text)
          .containsExactlyInAnyOrder(
              "The chore 'resume' is done: 0 claims were freed, and 0 claims wait",
              "The chore 'tidy' is done: run 1",
              "The chore 'resume' is done: control plane 'cp-1' runs it",
              "The chore 'tidy' is done: run 2");
      assertThat(two.chores()).hasSize(2);

      one.close();
      told.clear();
      time.pass(MINUTE);
      Waits.until(() -> told.size() == 2);
      assertThat(told)
          .extracting(VolumeKeeper.Round::done)
          .containsExactlyInAnyOrder("0 claims were freed, and 0 claims wait", "run 3");
    }
  }

  @Test
  @Timeout(60)
  void aStoreThatDoesNotAnswerDoesNotHoldTheEndOfAKeeper() {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicBoolean isSilent = new AtomicBoolean();
    try (RecordStore store =
            new PassingStore(new MemoryStore()) {
              @Override
              public WriteResult write(List<RecordWrite> writes) {
                if (isSilent.get()) {
                  try {
                    answers.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }
                return super.write(writes);
              }
            };
        VolumeController first = controller("cp-1", store);
        VolumeController second = controller("cp-2", store)) {
      VolumeKeeper one = open(keeper(first, store), Duration.ofMillis(50));
      time.settle();
      Waits.until(() -> told.size() == 2);
      isSilent.set(true);
      one.close();
      assertThat(second.takeUpkeep("resume")).contains("cp-1");
      isSilent.set(false);
      answers.countDown();

      Waits.until(() -> second.takeUpkeep("resume").isEmpty());
    }
  }

  @Test
  void aStoreThatThrowsWhatItShouldNotHoldsNoChoreOfAControlPlaneThatIsClosed() {
    BrokenStore rough = new BrokenStore(new MemoryStore());
    VolumeController first = controller("cp-1", rough);
    assertThat(first.takeUpkeep("resume")).isEmpty();
    assertThat(first.takeUpkeep("reap")).isEmpty();
    rough.fail(() -> new UncheckedIOException(new IOException("broken pipe")));

    first.leaveUpkeep("resume");
    first.close();

    assertThatExceptionOfType(ControllerException.class)
        .isThrownBy(() -> first.takeUpkeep("reap"))
        .matches(failed -> failed.code() == OperatorCode.ENGINE_CLOSED);
  }

  private static VolumeController controller(String name, RecordStore store) {
    return VolumeController.builder(new ControllerWorld().registry(), store)
        .controlPlane(name)
        .open();
  }

  private VolumeKeeper.Builder keeper(VolumeController controller, RecordStore store) {
    ClaimCoordinator claims =
        new ClaimCoordinator(
            new ClaimBook(store, CLOCK), new ScriptedController(), CLOCK, event -> {});
    return VolumeKeeper.builder()
        .resuming(claims)
        .chore("tidy", MINUTE, this::counted)
        .oneAtATime(controller);
  }

  @Test
  void aChoreThatFailsIsToldOfAndTriedAgainLessAndLessOften() {
    List<Instant> begun = new ArrayList<>();
    try (VolumeKeeper keeper =
        open(
            VolumeKeeper.builder()
                .chore(
                    "tidy",
                    MINUTE,
                    () -> {
                      begun.add(time.wall());
                      if (begun.size() < 8) {
                        throw new IllegalStateException("the store is away");
                      }
                      return "all is tidy";
                    }))) {
      time.pass(Duration.ofMinutes(1 + 2 + 4 + 8 + 16 + 16));
      assertThat(keeper.chores())
          .extracting(VolumeKeeper.Task::failuresInARow)
          .as("it has failed since the beginning")
          .containsExactly(6);
      time.pass(Duration.ofMinutes(16 + 16));
      assertThat(keeper.chores()).extracting(VolumeKeeper.Task::failuresInARow).containsExactly(0);
      time.pass(MINUTE);

      assertThat(
              IntStream.range(1, begun.size())
                  .mapToObj(i -> Duration.between(begun.get(i - 1), begun.get(i)).toMinutes()))
          .containsExactly(2L, 4L, 8L, 16L, 16L, 16L, 16L, 1L, 1L);
    }
    assertThat(told)
        .extracting(VolumeKeeper.Round::text)
        .startsWith("The chore 'tidy' failed, and will be retried: the store is away")
        .endsWith("The chore 'tidy' is done: all is tidy");
  }

  @Test
  void theReaperWaitsOnePauseSoThatTheHostCanSpeakFirst() {
    Cluster cluster = new Cluster();
    try (VolumeKeeper keeper =
        open(
            VolumeKeeper.builder()
                .resuming(cluster.claims)
                .reaping(cluster.reaper, AT_ONCE)
                .every("reap", Duration.ofMinutes(3)))) {
      time.pass(Duration.ofMinutes(2));
      assertThat(keeper.chores())
          .extracting(VolumeKeeper.Task::name, chore -> chore.last().isPresent())
          .containsExactly(tuple("resume", true), tuple("reap", false));
      time.pass(MINUTE);

      assertThat(keeper.chores())
          .extracting(chore -> chore.last().map(VolumeKeeper.Round::done))
          .containsExactly(
              Optional.of("0 claims were freed, and 0 claims wait"),
              Optional.of("0 of 0 items were released"));
    }
    assertThat(told)
        .extracting(VolumeKeeper.Round::chore)
        .containsExactlyInAnyOrder("resume", "resume", "resume", "resume", "reap");
  }

  @Test
  void claimsThatCannotBeReadAreCountedApartAndFailNoRound() {
    RecordStore damaged =
        new PassingStore(new MemoryStore()) {
          @Override
          public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
            return new Page(
                List.of(StoredRecord.of(new RecordKey(space, "key"), 1, new byte[] {8, 9})),
                Optional.empty());
          }
        };
    ClaimCoordinator claims =
        new ClaimCoordinator(
            new ClaimBook(damaged, CLOCK), new ScriptedController(), CLOCK, event -> {});
    try (VolumeKeeper keeper = open(VolumeKeeper.builder().resuming(claims))) {
      time.settle();

      assertThat(keeper.chores())
          .extracting(chore -> chore.last().map(VolumeKeeper.Round::done))
          .containsExactly(
              Optional.of("0 claims were freed, and 0 claims wait; 1 claim cannot be read"));
    }
  }

  @Test
  void aChoreOfThisNameIsThereOnceAndHasAPositivePause() {
    VolumeKeeper.Builder builder = VolumeKeeper.builder().chore("tidy", MINUTE, this::counted);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.chore("tidy", MINUTE, this::counted))
        .withMessage("There is a chore 'tidy' already. Give this one another name.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.every("tidy", Duration.ZERO))
        .withMessage("The pause has to be positive, not PT0S.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.every("reap", MINUTE))
        .withMessage("There is no chore 'reap' yet, only [tidy]. Add it first.");
  }

  // ---- threads

  @Test
  void aChoreThatHangsDelaysNoOtherAndEndsWithTheKeeper() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    VolumeKeeper keeper =
        VolumeKeeper.builder()
            .chore(
                "hung",
                MINUTE,
                () -> {
                  begun.countDown();
                  try {
                    new CountDownLatch(1).await();
                    return "never";
                  } catch (InterruptedException closing) {
                    interrupted.complete(true);
                    throw closing;
                  }
                })
            .chore("tidy", MINUTE, this::counted)
            .listener(told::add)
            .open();
    begun.await();
    Waits.until(() -> keeper.chores().stream().anyMatch(chore -> chore.last().isPresent()));
    assertThat(keeper.chores())
        .extracting(VolumeKeeper.Task::isRunning)
        .containsExactly(true, false);

    keeper.close();
    keeper.close();

    assertThat(interrupted.get()).isTrue();
    assertThat(told)
        .extracting(VolumeKeeper.Round::chore, it -> it.failure().orElse(""))
        .contains(tuple("hung", "the keeper was closed"));
    assertThatIllegalStateException()
        .isThrownBy(keeper::keepNow)
        .withMessage("The keeper is closed. Open another one.");
  }

  @Test
  void keepNowWaitsForOneRoundOfEach() {
    try (VolumeKeeper keeper =
        VolumeKeeper.builder()
            .chore("one", Duration.ofDays(1), this::counted)
            .chore(
                "two",
                Duration.ofDays(1),
                () -> {
                  throw new IllegalStateException("it is away");
                })
            .listener(told::add)
            .open()) {
      List<VolumeKeeper.Round> rounds = keeper.keepNow();

      assertThat(rounds).extracting(VolumeKeeper.Round::chore).containsExactly("one", "two");
      assertThat(rounds.get(0).failure()).isEmpty();
      assertThat(rounds.get(1).failure()).contains("it is away");
    }
    assertThat(told)
        .extracting(VolumeKeeper.Round::chore, it -> it.failure().orElse(""))
        .contains(tuple("one", ""), tuple("two", "it is away"));
  }

  // ---- several keepers

  /** Claims of nodes that are gone on their way back, and what is needed to free them. */
  private static final class Cluster {
    private final MemoryStore store = new MemoryStore();
    private final ScriptedController storage = new ScriptedController();
    private final ClaimBook book = new ClaimBook(store, CLOCK);
    private final ClaimCoordinator claims = new ClaimCoordinator(book, storage, CLOCK, event -> {});
    private final Reaper reaper = reaperOf(book, claims);

    /** A reaper on the node that has nothing mounted, and whose host wants nothing. */
    private static Reaper reaperOf(ClaimBook book, ClaimCoordinator claims) {
      Reaper.Sources.Node node =
          Reaper.Sources.Node.of(
              HERE,
              (usage, epoch) ->
                  new NodeReceipt(
                      usage, epoch, HERE, "boot", List.of(Path.of("/v")), NodeReceipt.Staging.GONE),
              usage -> false);
      return new Reaper(book, Reaper.Sources.of(claims).with(node), CLOCK, message -> {});
    }

    void orphan(VolumeUse usage) {
      var unused =
          claims.acquire(
              ClaimRequest.builder(
                      usage,
                      HERE,
                      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                      ClaimMode.WRITE)
                  .nodeId(NodeId.of("id-n1"))
                  .build());
    }
  }

  @Test
  void twoKeepersAtATimeFreeAllClaimsWithoutALeader() {
    Cluster cluster = new Cluster();
    IntStream.range(0, 20).mapToObj(VolumeKeeperTest::usage).forEach(cluster::orphan);
    ClaimBook otherBook = new ClaimBook(cluster.store, CLOCK);
    ClaimCoordinator other = new ClaimCoordinator(otherBook, cluster.storage, CLOCK, event -> {});
    try (VolumeKeeper one =
            VolumeKeeper.builder()
                .resuming(cluster.claims)
                .reaping(cluster.reaper, AT_ONCE)
                .listener(told::add)
                .open();
        VolumeKeeper two =
            VolumeKeeper.builder()
                .resuming(other)
                .reaping(Cluster.reaperOf(otherBook, other), AT_ONCE)
                .listener(told::add)
                .open()) {
      CompletableFuture<List<VolumeKeeper.Round>> beside =
          CompletableFuture.supplyAsync(two::keepNow);
      one.keepNow();
      beside.join();
      one.keepNow();

      IntStream.range(0, 20)
          .mapToObj(VolumeKeeperTest::usage)
          .forEach(
              usage ->
                  assertThat(cluster.book.read(usage.volume()).holders())
                      .as("%s", usage)
                      .isEmpty());
    }
    assertThat(cluster.storage.calls.stream().filter(call -> call.startsWith("detach")).distinct())
        .as("each was detached, some perhaps by both")
        .hasSize(20);
  }
}
