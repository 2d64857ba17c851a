package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_MODIFY_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.client.model.CsiOperation.VALIDATE_VOLUME_CAPABILITIES;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.SessionCodec;
import io.csi4j.volume.internal.catalog.SessionRecord;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.RoughStore;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two control planes on one store; the referee judges their calls together. */
@Timeout(120)
class TwoControlPlanesTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey WEB = VolumeKey.of("web");
  private static final SnapshotName NIGHTLY = SnapshotName.of("nightly");
  private static final CapacityRange LARGER = CapacityRange.atLeast(2 << 20);
  private static final CapacityRange LARGEST = CapacityRange.atLeast(4 << 20);

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin =
      world.registered(PluginShape.full().without(NodeCapability.EXPAND_VOLUME));
  private final String name = "test-" + UUID.randomUUID();
  private final String threadName = "csi4j-volume-" + name;
  private final RecordStore memory = new MemoryStore();
  private final RecordStore store = client(name);
  private final AtomicLong now = new AtomicLong();
  private final OnDemandThreads threads = new OnDemandThreads(threadName);
  private final RegistryControllers links = world.controllers(threads);
  private final List<VolumeController> open = new ArrayList<>();
  private final List<RecordStore> clients = new ArrayList<>(List.of(store));
  private final Plane one = new Plane("one");
  private final Plane two = new Plane("two");

  /**
   * Opens the store of a test for one control plane.
   *
   * @param ofTest the name of the store, which no other test has
   */
  RecordStore client(String ofTest) {
    return memory;
  }

  /** Time that passes when a test lets it. */
  private final class Time implements Clock {

    @Override
    public long nanos() {
      return now.get();
    }

    @Override
    public Instant wall() {
      return Instant.EPOCH;
    }
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  /** A step that waits until a test lets it go on. */
  private static final class Gate {
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);

    void pass() {
      arrived.countDown();
      await(left);
    }

    void awaitArrival() {
      await(arrived);
    }

    void open() {
      left.countDown();
    }

    private static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A watch whose reports are late once a test wants that. */
  private record LateWatch(Watch watch, AtomicBoolean isLate) implements Watch {

    @Override
    public Optional<Change> next(Duration wait) throws InterruptedException {
      return isLate.get() && wait.isZero() ? Optional.empty() : watch.next(wait);
    }

    @Override
    public void close() {
      watch.close();
    }
  }

  /** A control plane: its timers run when a test lets them, and it may stand still at a step. */
  private final class Plane implements Controllers, Scheduler {

    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    private final AtomicInteger plannedRenewals = new AtomicInteger();
    private final ConcurrentMap<String, Gate> gates = new ConcurrentHashMap<>();
    private final RecordStore client =
        new SteppingStore(client(name), this::written) {
          @Override
          public Optional<StoredRecord> read(RecordKey key) {
            if (isOf(unanswered, key)) {
              throw new RecordStoreException(
                  RecordStoreException.Reason.UNAVAILABLE, "it does not answer", null);
            }
            Optional<StoredRecord> there = super.read(key);
            if (key.space() == RecordKey.Space.CLAIMS) {
              pass("claims");
            }
            return there;
          }

          @Override
          public Watch watch(RecordKey.Space space) {
            return new LateWatch(super.watch(space), isLate);
          }

          @Override
          public WriteResult write(List<RecordWrite> writes) {
            if (writes.stream().anyMatch(it -> it.key().space() == RecordKey.Space.CLAIMS)) {
              pass("write of claims");
            }
            if (writes.stream().anyMatch(it -> it.key().space() == RecordKey.Space.CLUSTER)) {
              pass("write of a session");
            }
            WriteResult result = super.write(writes);
            if (!isOf(losing, writes.get(0).key())) {
              return result;
            }
            unanswered.set(losing.get());
            return new WriteResult.Unknown(new ReasonText("it does not answer"));
          }
        };
    private final AtomicBoolean isLate = new AtomicBoolean();
    private final AtomicReference<Optional<VolumeKey>> losing =
        new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<VolumeKey>> unanswered =
        new AtomicReference<>(Optional.empty());
    private final AtomicReference<RoughStore.Fate> removals =
        new AtomicReference<>(RoughStore.Fate.ANSWERED);
    final VolumeController controller;

    Plane(String shown) {
      this(shown, true);
    }

    /**
     * A control plane.
     *
     * @param isTogether whether claims and catalog are in one store to it
     */
    Plane(String shown, boolean isTogether) {
      controller =
          new VolumeController(
              VolumeController.builder(world.registry(), client)
                  .controlPlane(shown)
                  .claims(isTogether ? client : new PassingStore(client) {})
                  .validation(ValidationResult.Policy.LENIENT)
                  .snapshotPatience(Duration.ofMinutes(1))
                  .told(message -> {}),
              this,
              new Time(),
              this,
              threads,
              () -> {});
      open.add(controller);
      clients.add(client);
    }

    /** The store makes the next write of this volume, and answers no question about it after. */
    void losesAnswersAbout(VolumeKey volume) {
      losing.set(Optional.of(volume));
    }

    void losesNoAnswers() {
      losing.set(Optional.empty());
      unanswered.set(Optional.empty());
    }

    /** From now on, only who waits for a report of the store has it. */
    void hasLateReports() {
      isLate.set(true);
    }

    private static boolean isOf(AtomicReference<Optional<VolumeKey>> volume, RecordKey key) {
      return volume.get().map(CatalogCodec::key).equals(Optional.of(key));
    }

    /** The next call of this kind waits before it is sent. */
    Gate before(CsiOperation operation) {
      return gate("before " + operation);
    }

    /** The answer of the next call of this kind is late. */
    Gate after(CsiOperation operation) {
      return gate("after " + operation);
    }

    /** The next deletion waits once it is intended, before it holds claims of another store. */
    Gate afterIntent() {
      return gate("intent");
    }

    /** The next work on a volume waits once it has looked at the claims. */
    Gate afterLookAtClaims() {
      return gate("claims");
    }

    /** The next write of claims waits. */
    Gate beforeWriteOfClaims() {
      return gate("write of claims");
    }

    /** The next write of a session waits. */
    Gate beforeWriteOfSession() {
      return gate("write of a session");
    }

    private Gate gate(String step) {
      Gate next = new Gate();
      gates.put(step, next);
      return next;
    }

    private void pass(String step) {
      Gate there = gates.remove(step);
      if (there != null) {
        there.pass();
      }
    }

    /** The next adoption waits once it is on record, before it is certain. */
    Gate afterProposal() {
      return gate("proposal");
    }

    /** No removal of a volume is made from now on, or each is made again. */
    void removals(RoughStore.Fate fate) {
      removals.set(fate);
    }

    private WriteResult written(Optional<CatalogRecord> next, Supplier<WriteResult> write) {
      RoughStore.Fate fate = next.isEmpty() ? removals.get() : RoughStore.Fate.ANSWERED;
      if (fate == RoughStore.Fate.DOWN) {
        throw new RecordStoreException(
            RecordStoreException.Reason.UNAVAILABLE, "it cannot be reached", null);
      }
      WriteResult result =
          fate == RoughStore.Fate.LOST
              ? new WriteResult.Unknown(new ReasonText("it does not answer"))
              : write.get();
      if (next.filter(CatalogRecord::isBeingAdopted).isPresent()) {
        pass("proposal");
      }
      if (next.flatMap(it -> it.work(CatalogWork.VOLUME))
          .filter(work -> work.kind() == CatalogWork.Kind.DELETION)
          .isPresent()) {
        pass("intent");
      }
      return result;
    }

    /** Runs what waits for its time, such as the renewal of the session. */
    void runTimers() {
      List<Runnable> due = List.copyOf(later);
      later.removeAll(due);
      due.forEach(Runnable::run);
    }

    @Override
    public <T> CompletableFuture<T> call(ControllerCall<T> call) {
      pass("before " + call.operation());
      CompletableFuture<T> answer = links.call(call);
      return answer.handleAsync(
          (value, failed) -> {
            pass("after " + call.operation());
            return answer.join();
          },
          threads);
    }

    @Override
    public CompletableFuture<ControllerFacts> facts(PluginId id, Subject subject) {
      return links.facts(id, subject);
    }

    @Override
    public CompletableFuture<Boolean> attaches(PluginId id, Subject subject) {
      return links.attaches(id, subject);
    }

    @Override
    public CompletableFuture<Secrets> secrets(
        PluginId id, SecretsProvider provider, CsiOperation operation, Subject subject) {
      return links.secrets(id, provider, operation, subject);
    }

    @Override
    public CompletableFuture<CsiPlugin> connected(PluginId id, Subject subject) {
      return links.connected(id, subject);
    }

    @Override
    public void execute(Runnable work) {
      later.add(work);
    }

    @Override
    public Timer after(Duration delay, Runnable work) {
      later.add(work);
      if (delay.equals(ControlPlaneSession.EXPIRY.dividedBy(ControlPlaneSession.RENEWALS))) {
        plannedRenewals.incrementAndGet();
      }
      return () -> later.remove(work);
    }

    @Override
    public double random() {
      return 0.5;
    }
  }

  @AfterEach
  void noDutyWasBroken() {
    open.forEach(VolumeController::close);
    clients.forEach(RecordStore::close);
    links.close();
    threads.close();
    plugin.assertLawful();
    world.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(1 << 20))
        .build();
  }

  private static <T> CompletableFuture<T> begun(Supplier<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                done.complete(work.get());
              } catch (RuntimeException failed) {
                done.completeExceptionally(failed);
              }
            },
            "csi4j-volume-test-caller");
    thread.start();
    return done;
  }

  private static CompletableFuture<Boolean> begun(Runnable work) {
    return begun(
        () -> {
          work.run();
          return true;
        });
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  private static ControllerException failure(CompletableFuture<?> begun) {
    return (ControllerException)
        catchThrowableOfType(ExecutionException.class, () -> begun.get(30, TimeUnit.SECONDS))
            .getCause();
  }

  private static <T> T ended(CompletableFuture<T> begun) {
    try {
      return begun.get(30, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException failed) {
      throw new AssertionError("it did not end well", failed);
    }
  }

  private int calls(CsiOperation operation) {
    return plugin.journal().calls(operation).size();
  }

  private Optional<CatalogWork> work() {
    return StoredCatalog.record(store, DB).flatMap(it -> it.work(CatalogWork.VOLUME));
  }

  /** Waits until each of these has looked at the record of its volume, and waits for the owner. */
  private void assertWaits(CompletableFuture<?>... begun) {
    Waits.until(
        () ->
            Thread.getAllStackTraces().entrySet().stream()
                    .filter(each -> each.getKey().getName().startsWith(threadName))
                    .filter(each -> Stream.of(each.getValue()).anyMatch(at -> isWaiting(at)))
                    .count()
                == begun.length);
    assertThat(begun).allSatisfy(each -> assertThat(each).isNotDone());
  }

  private static boolean isWaiting(StackTraceElement at) {
    return at.getClassName().equals(Catalog.class.getName())
        && at.getMethodName().equals("awaitChange");
  }

  // ---- what they see of each other

  @Test
  void eachSeesTheVolumesOfTheOtherAtOnce() {
    CatalogVolume made = one.controller.create(DB, spec());
    assertThat(two.controller.find(DB)).contains(made);
    Waits.until(() -> two.controller.volumes().equals(List.of(made)));
    assertThat(two.controller.create(DB, spec())).isEqualTo(made);
    assertThat(calls(CREATE_VOLUME)).isEqualTo(1);

    two.controller.delete(DB);
    assertThat(one.controller.find(DB)).isEqualTo(Optional.empty());
    Waits.until(() -> one.controller.volumes().isEmpty());
    assertThat(plugin.contents().empty()).isTrue();
  }

  // ---- creation

  @Test
  void aVolumeThatBothCreateIsMadeOnceAndBothHaveIt() {
    Gate gate = one.before(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.create(DB, spec()));
    assertWaits(second);
    gate.open();

    assertThat(ended(second)).isEqualTo(ended(first));
    assertThat(calls(CREATE_VOLUME)).isEqualTo(1);
    assertThat(work()).as("nobody works on it any more").isEqualTo(Optional.empty());
  }

  @Test
  void aVolumeThatTheOtherCreatesOtherwiseIsRefusedOnceItIsThere() {
    Gate gate = one.before(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second =
        begun(
            () ->
                two.controller.create(DB, spec().toBuilder().parameters(Map.of("a", "b")).build()));
    assertWaits(second);
    gate.open();

    assertThat(failure(second).code()).isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);
    assertThat(ended(first).key()).isEqualTo(DB);
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @Test
  void aVolumeThatIsRefusedToTheOneIsAskedForByTheOther() {
    plugin.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "not now"), When.calling(CREATE_VOLUME).once());
    Gate gate = one.after(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.create(DB, spec()));
    assertWaits(second);
    gate.open();

    assertThat(failure(first).outcome()).isEqualTo(ChangeOutcome.REFUSED);
    CatalogVolume made = ended(second);
    assertThat(one.controller.find(DB)).contains(made);
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
  }

  @Test
  void aVolumeIsDeletedOnlyAfterTheOtherHasMadeIt() {
    Gate gate = one.before(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.delete(DB));
    assertWaits(second);
    gate.open();

    assertThat(ended(first).key()).isEqualTo(DB);
    assertThat(ended(second)).isTrue();
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(one.controller.record(DB)).isEqualTo(Optional.empty());
    assertThat(calls(CREATE_VOLUME)).isEqualTo(1);
  }

  // ---- deletion

  @Test
  void aVolumeIsMadeAgainOnlyAfterTheOtherHasDeletedItAndUnderAnotherName() {
    CatalogVolume former = one.controller.create(DB, spec());
    Gate gate = one.before(DELETE_VOLUME);
    CompletableFuture<Boolean> first = begun(() -> one.controller.delete(DB));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.create(DB, spec()));
    assertWaits(second);
    gate.open();

    assertThat(ended(first)).isTrue();
    CatalogVolume made = ended(second);
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
    assertThat(made.id()).isNotEqualTo(former.id());
    assertThat(
            plugin.journal().calls(CREATE_VOLUME).stream()
                .map(call -> call.request().text("name"))
                .distinct())
        .as("a late call for the one concerns no other")
        .hasSize(2);
  }

  @Test
  void aVolumeThatBothDeleteIsDeletedOnce() {
    one.controller.create(DB, spec());
    Gate gate = one.before(DELETE_VOLUME);
    CompletableFuture<Boolean> first = begun(() -> one.controller.delete(DB));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.delete(DB));
    assertWaits(second);
    gate.open();

    assertThat(ended(first)).isTrue();
    assertThat(ended(second)).isTrue();
    assertThat(calls(DELETE_VOLUME)).isEqualTo(1);
  }

  @Test
  void aVolumeThatIsBeingDeletedIsNeitherGrownNorCutByTheOther() {
    one.controller.create(DB, spec());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> one.controller.delete(DB)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);

    assertThat(failure(() -> two.controller.expand(DB, LARGER)).code())
        .isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
    assertThat(failure(() -> two.controller.createSnapshot(DB, NIGHTLY, Map.of())).code())
        .isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
    Waits.until(() -> two.controller.pending().equals(List.of(DB)));

    two.controller.resume(DB);
    Waits.until(() -> one.controller.pending().isEmpty());
    assertThat(plugin.contents().empty()).isTrue();
  }

  // ---- changes

  @Test
  void aVolumeThatBothGrowHasTheSizeOfTheLater() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CONTROLLER_EXPAND_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.expand(DB, LARGER));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.expand(DB, LARGEST));
    assertWaits(second);
    gate.open();

    assertThat(ended(first).capacityBytes()).hasValue(2 << 20);
    assertThat(ended(second).capacityBytes()).hasValue(4 << 20);
    assertThat(one.controller.find(DB)).contains(ended(second));
  }

  @Test
  void aSizeAndParametersThatBothChangeAreBothKept() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CONTROLLER_EXPAND_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.expand(DB, LARGER));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second =
        begun(() -> two.controller.modify(DB, Map.of("iops", "9")));
    assertWaits(second);
    gate.open();

    assertThat(ended(first).capacityBytes()).hasValue(2 << 20);
    CatalogVolume both = ended(second);
    assertThat(both.capacityBytes()).hasValue(2 << 20);
    assertThat(both.spec().mutableParameters()).containsExactly(Map.entry("iops", "9"));
    assertThat(one.controller.find(DB)).contains(both);
    assertThat(calls(CONTROLLER_MODIFY_VOLUME)).isEqualTo(1);
  }

  @Test
  void aVolumeIsDeletedOnlyAfterTheOtherHasGrownIt() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CONTROLLER_EXPAND_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.expand(DB, LARGER));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.delete(DB));
    assertWaits(second);
    gate.open();

    assertThat(ended(first).capacityBytes()).hasValue(2 << 20);
    assertThat(ended(second)).isTrue();
    assertThat(plugin.contents().empty()).isTrue();
  }

  // ---- registration

  private CatalogVolume existing(String name) {
    VolumeKey aside = VolumeKey.of("aside-" + name);
    CatalogVolume made = one.controller.create(aside, spec());
    assertThat(one.controller.deregister(aside)).isTrue();
    return CatalogVolume.builder(DB, spec(), made.id()).context(made.context()).build();
  }

  @Test
  void aVolumeThatBothRegisterIsOnRecordOnce() {
    CatalogVolume wanted = existing("a");
    Gate gate = one.after(VALIDATE_VOLUME_CAPABILITIES);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.register(wanted));
    gate.awaitArrival();
    CatalogVolume second = two.controller.register(wanted);
    gate.open();

    assertThat(ended(first)).isEqualTo(second);
    Waits.until(() -> one.controller.volumes().equals(List.of(second)));
  }

  private CatalogVolume adopted(VolumeKey key, VolumeId id) {
    return CatalogVolume.builder(key, spec(), id).origin(CatalogVolume.Origin.CREATED).build();
  }

  @Test
  void aVolumeThatBothAdoptUnderTwoKeysIsOnRecordUnderOneOfThem() {
    ClusterIdentity former = ClusterIdentity.of("abcdefghijk27");
    VolumeId id = VolumeId.of("pool#csi4j-" + former + "-abcdefghijklmnopqrs");
    plugin.addVolume(id, CapacityRange.atLeast(1 << 20), VolumeContext.empty());
    Gate gate = one.before(VALIDATE_VOLUME_CAPABILITIES);
    CompletableFuture<CatalogVolume> first =
        begun(() -> one.controller.adopt(former, adopted(DB, id)));
    gate.awaitArrival();
    CatalogVolume other = two.controller.adopt(former, adopted(WEB, id));
    gate.open();

    ControllerException taken = failure(first);
    assertThat(taken.code()).isEqualTo(OperatorCode.VOLUME_ID_TAKEN);
    assertThat(taken.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(taken).hasMessageContaining("that id belongs to 'default/web'");
    assertThat(StoredCatalog.record(store, DB)).isEqualTo(Optional.empty());
    assertThat(one.controller.find(WEB)).contains(other);
    assertThat(StoredCatalog.record(store, WEB).map(CatalogRecord::work)).contains(List.of());
    two.controller.delete(WEB);
    assertThat(plugin.contents().empty()).isTrue();
  }

  /** Checks that a volume is on record as this one only, for both control planes. */
  private void assertOnRecordOnlyAs(CatalogVolume volume) {
    for (VolumeController each : List.of(one.controller, two.controller)) {
      assertThat(each.find(DB)).isEmpty();
      assertThat(each.find(WEB)).contains(volume);
      assertThat(each.volumes()).containsExactly(volume);
      assertThat(each.whyNotClaimed(claim(DB)).map(ClaimDecision.Refused::code))
          .contains(OperatorCode.VOLUME_UNKNOWN);
      assertThat(each.whyNotClaimed(claim(WEB))).isEmpty();
      assertThat(each.status().volumes()).isEqualTo(Map.of(VolumeSummary.State.PRESENT, 1));
    }
  }

  private VolumeId left(ClusterIdentity former) {
    VolumeId id = VolumeId.of("pool#csi4j-" + former + "-abcdefghijklmnopqrs");
    plugin.addVolume(id, CapacityRange.atLeast(1 << 20), VolumeContext.empty());
    return id;
  }

  @ParameterizedTest
  @EnumSource(
      value = RoughStore.Fate.class,
      names = {"DOWN", "LOST"})
  void aRefusedAdoptionWhoseRecordCannotBeRemovedIsNotOnRecord(RoughStore.Fate fate) {
    ClusterIdentity former = ClusterIdentity.of("abcdefghijk27");
    VolumeId id = left(former);
    Gate gate = one.before(VALIDATE_VOLUME_CAPABILITIES);
    CompletableFuture<CatalogVolume> first =
        begun(() -> one.controller.adopt(former, adopted(DB, id)));
    gate.awaitArrival();
    CatalogVolume other = two.controller.adopt(former, adopted(WEB, id));
    one.removals(fate);
    gate.open();

    ControllerException taken = failure(first);
    assertThat(taken.code()).isEqualTo(OperatorCode.VOLUME_ID_TAKEN);
    assertThat(taken.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(StoredCatalog.record(store, DB).map(CatalogRecord::isBeingAdopted)).contains(true);
    assertOnRecordOnlyAs(other);

    one.removals(RoughStore.Fate.ANSWERED);
    two.controller.delete(WEB);
    assertThat(StoredCatalog.entries(store)).isEmpty();
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void anAdoptionWhoseOwnerHasEndedBeforeItWasCertainIsNotOnRecord() {
    ClusterIdentity former = ClusterIdentity.of("abcdefghijk27");
    VolumeId id = left(former);
    Gate validated = one.before(VALIDATE_VOLUME_CAPABILITIES);
    Gate proposed = one.afterProposal();
    CompletableFuture<CatalogVolume> first =
        begun(() -> one.controller.adopt(former, adopted(DB, id)));
    validated.awaitArrival();
    CatalogVolume other = two.controller.adopt(former, adopted(WEB, id));
    validated.open();
    proposed.awaitArrival();
    assertOnRecordOnlyAs(other);

    ControllerException held = failure(() -> two.controller.delete(WEB));
    assertThat(held.code()).isEqualTo(OperatorCode.VOLUME_ID_TAKEN);
    assertThat(held).hasMessageContaining("that id belongs to 'default/db'");
    pass(ControlPlaneSession.EXPIRY);
    two.controller.delete(WEB);
    assertThat(StoredCatalog.entries(store)).isEmpty();
    // A list that still has the other record would refuse the adoption for it.
    Waits.until(() -> one.controller.status().volumes().isEmpty());
    proposed.open();

    ControllerException over = failure(first);
    assertThat(over.code()).isEqualTo(OperatorCode.VOLUME_TAKEN_OVER);
    assertThat(over.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(StoredCatalog.entries(store)).isEmpty();
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void anAdoptionThatIsLeftIsMadeAgainUnderTheSameKey() {
    ClusterIdentity former = ClusterIdentity.of("abcdefghijk27");
    VolumeId id = left(former);
    Gate proposed = one.afterProposal();
    CompletableFuture<CatalogVolume> first =
        begun(() -> one.controller.adopt(former, adopted(DB, id)));
    proposed.awaitArrival();
    StoredCatalog.put(
        store,
        CatalogRecord.of(StoredCatalog.entry(store, DB).orElseThrow())
            .with(
                new CatalogWork(
                    CatalogWork.VOLUME,
                    CatalogWork.Kind.ADOPTION,
                    new CatalogWork.Owner("ended", "three"),
                    7)));
    proposed.open();
    assertThat(failure(first).code()).isEqualTo(OperatorCode.VOLUME_TAKEN_OVER);
    assertThat(two.controller.find(DB)).isEmpty();

    CatalogVolume again = two.controller.adopt(former, adopted(DB, id));

    assertThat(two.controller.find(DB)).contains(again);
    assertThat(StoredCatalog.record(store, DB).map(CatalogRecord::work)).contains(List.of());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aVolumeThatIsClaimedWhileItIsDescribedOtherwiseStaysAsItWas(boolean isTogether) {
    Plane plane = new Plane("describing", isTogether);
    VolumeId id = VolumeId.of("vol-9");
    plugin.addVolume(id, CapacityRange.atLeast(1 << 20), VolumeContext.empty());
    CatalogVolume.Builder described = CatalogVolume.builder(DB, spec(), id);
    CatalogVolume there = plane.controller.register(described.build());
    CatalogVolume otherwise = described.context(VolumeContext.of(Map.of("pool", "fast"))).build();
    Gate gate = plane.before(VALIDATE_VOLUME_CAPABILITIES);
    CompletableFuture<CatalogVolume> first = begun(() -> plane.controller.register(otherwise));
    gate.awaitArrival();
    ClaimHolder claimed = claimed();
    gate.open();

    ControllerException refused = failure(first);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused).hasMessageContaining("workload 'web-1' on node 'n1' holds it");
    assertThat(plane.controller.find(DB)).contains(there);
    claims().advance(VolumeUse.of(DB, claimed.workload()), ClaimHolder.State.READY_TO_FREE);
    claims().forget(VolumeUse.of(DB, claimed.workload()));
    assertThat(plane.controller.register(otherwise).context()).isEqualTo(otherwise.context());
  }

  @Test
  void aDescriptionIsWrittenWithTheClaimsThatItDependsOn() {
    VolumeId id = VolumeId.of("vol-9");
    plugin.addVolume(id, CapacityRange.atLeast(1 << 20), VolumeContext.empty());
    CatalogVolume.Builder described = CatalogVolume.builder(DB, spec(), id);
    CatalogVolume there = one.controller.register(described.build());
    Gate gate = one.beforeWriteOfClaims();
    CompletableFuture<CatalogVolume> first =
        begun(
            () ->
                one.controller.register(
                    described.context(VolumeContext.of(Map.of("pool", "fast"))).build()));
    gate.awaitArrival();
    ClaimHolder claimed = claimed();
    gate.open();

    assertThat(failure(first).code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(one.controller.find(DB)).contains(there);
    assertThat(claims().read(DB).holders().values()).containsExactly(claimed);
  }

  @Test
  void ofTwoVolumesThatAreRegisteredUnderOneKeyTheSecondIsRefused() {
    CatalogVolume wanted = existing("a");
    CatalogVolume other = existing("b");
    Gate gate = one.after(VALIDATE_VOLUME_CAPABILITIES);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.register(wanted));
    gate.awaitArrival();
    CatalogVolume second = two.controller.register(other);
    gate.open();

    assertThat(failure(first).code()).isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);
    Waits.until(() -> one.controller.volumes().equals(List.of(second)));
  }

  @Test
  void aVolumeThatTheOtherHasMadeMeanwhileIsNotReplacedByARegistration() {
    CatalogVolume wanted = existing("a");
    Gate gate = one.after(VALIDATE_VOLUME_CAPABILITIES);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.register(wanted));
    gate.awaitArrival();
    CatalogVolume made = two.controller.create(DB, spec());
    gate.open();

    assertThat(failure(first).code()).isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);
    Waits.until(() -> one.controller.volumes().equals(List.of(made)));
  }

  @Test
  void aVolumeIsForgottenOnlyAfterTheOtherHasMadeIt() {
    Gate gate = one.before(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.deregister(DB));
    assertWaits(second);
    gate.open();

    assertThat(ended(second)).isTrue();
    assertThat(plugin.contents().volumes()).containsExactly(ended(first).id());
    assertThat(one.controller.record(DB)).isEqualTo(Optional.empty());
  }

  // ---- snapshots

  @Test
  void aSnapshotThatBothCutIsCutOnceAndBothHaveIt() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CREATE_SNAPSHOT);
    CompletableFuture<Snapshot> first =
        begun(() -> one.controller.createSnapshot(DB, NIGHTLY, Map.of()));
    gate.awaitArrival();
    CompletableFuture<Snapshot> second =
        begun(() -> two.controller.createSnapshot(DB, NIGHTLY, Map.of()));
    assertWaits(second);
    gate.open();

    assertThat(ended(second).id()).isEqualTo(ended(first).id());
    assertThat(plugin.contents().snapshots()).containsExactly(ended(first).id());
    assertThat(StoredCatalog.record(store, DB).map(CatalogRecord::work)).contains(List.of());
  }

  @Test
  void aSnapshotIsDroppedOnlyAfterTheOtherHasCutItAndIsNotMadeAgain() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CREATE_SNAPSHOT);
    CompletableFuture<Snapshot> first =
        begun(() -> one.controller.backups().cut(DB, NIGHTLY, Map.of()));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.dropSnapshot(DB, NIGHTLY));
    assertWaits(second);
    gate.open();

    assertThat(ended(first).readyToUse()).isTrue();
    assertThat(ended(second)).isTrue();
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(calls(DELETE_SNAPSHOT)).isEqualTo(1);
    assertThat(failure(() -> one.controller.backups().ready(DB, NIGHTLY)).code())
        .isEqualTo(OperatorCode.SNAPSHOT_UNKNOWN);
    assertThat(plugin.contents().snapshots()).isEmpty();
  }

  @Test
  void aSnapshotStaysOnRecordWhileTheOtherGrowsItsVolume() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CREATE_SNAPSHOT);
    CompletableFuture<Snapshot> first =
        begun(() -> one.controller.backups().cut(DB, NIGHTLY, Map.of()));
    gate.awaitArrival();
    assertThat(two.controller.expand(DB, LARGER).capacityBytes()).hasValue(2 << 20);
    Waits.until(() -> two.controller.backups().pending().containsKey(DB));
    gate.open();

    assertThat(ended(first).readyToUse()).isTrue();
    assertThat(two.controller.record(DB).orElseThrow().pendingSnapshots())
        .singleElement()
        .satisfies(cut -> assertThat(cut.answer()).isPresent());
    assertThat(one.controller.find(DB).orElseThrow().capacityBytes()).hasValue(2 << 20);
  }

  @Test
  void aVolumeOfWhichTheOtherCutsASnapshotIsNeitherDeletedNorForgotten() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CREATE_SNAPSHOT);
    CompletableFuture<Snapshot> first =
        begun(() -> one.controller.createSnapshot(DB, NIGHTLY, Map.of()));
    gate.awaitArrival();

    assertThat(failure(() -> two.controller.delete(DB)).code())
        .isEqualTo(OperatorCode.SNAPSHOT_OWED);
    assertThat(failure(() -> two.controller.deregister(DB)).code())
        .isEqualTo(OperatorCode.SNAPSHOT_OWED);
    gate.open();
    assertThat(ended(first).readyToUse()).isTrue();
    assertThat(two.controller.record(DB).map(CatalogEntry::state))
        .containsInstanceOf(State.Present.class);
  }

  @Test
  void aSnapshotAndAGroupOfOneNameAreDroppedTogetherAndLeaveNoWork() {
    one.controller.create(DB, spec());
    one.controller.create(WEB, spec());
    assertThat(one.controller.backups().cut(DB, NIGHTLY, Map.of()).readyToUse()).isTrue();
    assertThat(one.controller.backups().cut(Set.of(DB, WEB), NIGHTLY, Map.of()).readyToUse())
        .isTrue();

    assertThat(two.controller.dropSnapshot(DB, NIGHTLY)).isTrue();
    assertThat(plugin.contents().snapshots()).isEmpty();
    Waits.until(() -> one.controller.backups().pending().isEmpty());
    for (VolumeKey each : List.of(DB, WEB)) {
      assertThat(StoredCatalog.record(store, each).map(CatalogRecord::work)).contains(List.of());
    }
  }

  private static PendingSnapshot group(Map<String, String> parameters) {
    return new PendingSnapshot(
        NIGHTLY.value(), new TreeMap<>(parameters), new TreeSet<>(Set.of(DB, WEB)));
  }

  /** Puts a group on record with one of its volumes, as a crash leaves it. */
  private void leave(VolumeKey key, PendingSnapshot group) {
    CatalogRecord there = StoredCatalog.record(store, key).orElseThrow();
    StoredCatalog.put(store, there.with(there.entry().with(group)));
  }

  @Test
  void aGroupThatIsOnRecordWithAnotherVolumeIsKeptThoughTheViewIsLate() {
    one.controller.create(DB, spec());
    one.controller.create(WEB, spec());
    Waits.until(() -> two.controller.volumes().size() == 2);
    two.hasLateReports();
    leave(WEB, group(Map.of()));
    one.controller.expand(DB, LARGER);

    assertThat(two.controller.backups().keep(DB, NIGHTLY)).isTrue();
    Waits.until(() -> one.controller.backups().pending().isEmpty());
  }

  @Test
  void aGroupThatIsOnRecordWithAnotherVolumeIsFoundByAVolumeThatIsGoneThoughTheViewIsLate() {
    one.controller.create(DB, spec());
    one.controller.create(WEB, spec());
    Waits.until(() -> two.controller.volumes().size() == 2);
    two.hasLateReports();
    leave(WEB, group(Map.of()));
    one.controller.delete(DB);

    assertThat(two.controller.backups().keep(DB, NIGHTLY)).isTrue();
    Waits.until(() -> one.controller.backups().pending().isEmpty());
  }

  @Test
  void aGroupUnderTheNameOfOneThatIsOnRecordWithAnotherVolumeIsRefusedThoughTheViewIsLate() {
    VolumeKey log = VolumeKey.of("log");
    one.controller.create(DB, spec());
    one.controller.create(WEB, spec());
    one.controller.create(log, spec());
    Waits.until(() -> two.controller.volumes().size() == 3);
    two.hasLateReports();
    PendingSnapshot left = group(Map.of("kind", "full"));
    leave(WEB, left);

    ControllerException refused =
        failure(() -> two.controller.backups().cut(Set.of(DB, log), NIGHTLY, Map.of()));
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(calls(CREATE_VOLUME_GROUP_SNAPSHOT)).isZero();
    Waits.until(() -> one.controller.backups().pending().equals(Map.of(WEB, List.of(left))));
    assertThat(StoredCatalog.record(store, DB).map(CatalogRecord::work)).contains(List.of());
  }

  /** The work on a snapshot stands in the record of its volume, which is one value of a store. */
  @Test
  void whereNoFurtherSnapshotBeginsThoseOnRecordAreKeptAndDroppedAndTheVolumeGoes() {
    one.controller.create(DB, spec());
    List<SnapshotName> all = new ArrayList<>();
    ControllerException full = null;
    // The last one leaves less room than a mark of work needs.
    for (int size = 2_000; size > 0; size -= full == null ? 0 : 16) {
      SnapshotName next = SnapshotName.of("tick-" + all.size());
      Map<String, String> parameters = Map.of("note", "x".repeat(size));
      ControllerException refused =
          failure(() -> one.controller.backups().cut(DB, next, parameters));
      if (refused == null) {
        all.add(next);
      } else {
        full = refused;
      }
    }
    assertThat(plugin.contents().snapshots()).hasSameSizeAs(all).hasSizeGreaterThan(20);

    assertThat(two.controller.expand(DB, LARGER).capacityBytes()).hasValue(2 << 20);
    assertThat(two.controller.backups().keep(DB, all.get(0))).isTrue();
    assertThat(two.controller.dropSnapshot(DB, all.get(1))).isTrue();
    assertThat(two.controller.backups().ready(DB, all.get(2)).readyToUse()).isTrue();
    assertThat(failure(() -> two.controller.delete(DB)).code())
        .isEqualTo(OperatorCode.SNAPSHOT_OWED);
    all.subList(2, all.size())
        .forEach(each -> assertThat(two.controller.dropSnapshot(DB, each)).isTrue());
    assertThat(plugin.contents().snapshots()).hasSize(1);
    two.controller.delete(DB);
    assertThat(full).isNotNull();
    assertThat(full.code()).isEqualTo(OperatorCode.VOLUME_RECORD_FULL);
    assertThat(full.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(full)
        .hasMessageContaining("; " + all.size() + " of its snapshots are neither kept nor dropped");
  }

  // ---- ownership

  @Test
  void theOwnerAndTheEpochOfWorkStandInTheRecordUntilItEnds() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CONTROLLER_EXPAND_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.expand(DB, LARGER));
    gate.awaitArrival();
    CatalogWork work = work().orElseThrow();
    assertThat(work.owner().controlPlane()).isEqualTo("one");
    assertThat(work.epoch()).isEqualTo(2);
    gate.open();
    assertThat(ended(first).capacityBytes()).hasValue(2 << 20);
    assertThat(work()).isEqualTo(Optional.empty());
    assertThat(StoredCatalog.record(store, DB).orElseThrow().epoch()).isEqualTo(2);
  }

  @Test
  void workOfAControlPlaneThatRenewsItsSessionIsNeverTakenOver() {
    Gate gate = one.before(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.create(DB, spec()));
    assertWaits(second);
    for (int i = 0; i < 31; i++) {
      renew(one);
      pass(Duration.ofSeconds(20));
    }

    ControllerException busy = failure(second);
    assertThat(busy.code()).isEqualTo(OperatorCode.CONTROLLER_BUSY);
    assertThat(busy.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(busy)
        .hasMessageContaining(
            "control plane 'one' works on it, and this request has waited 600 s for others");
    renew(one);
    gate.open();
    assertThat(ended(first).key()).isEqualTo(DB);
    assertThat(calls(CREATE_VOLUME)).isEqualTo(1);
  }

  /** Renews a session, and waits until the control plane has the answer and plans the next one. */
  private void renew(Plane plane) {
    List<?> before = sessions();
    int planned = plane.plannedRenewals.get();
    Waits.until(
        () -> {
          boolean isDone = plane.plannedRenewals.get() > planned;
          if (!isDone) {
            plane.runTimers();
          }
          return isDone;
        });
    assertThat(sessions()).isNotEqualTo(before);
  }

  private List<?> sessions() {
    return store.scan(RecordKey.Space.CLUSTER, Optional.empty(), 10).records();
  }

  @Test
  void aSnapshotThatAnotherControlPlaneDropsIsNotKept() {
    one.controller.create(DB, spec());
    var unused = one.controller.backups().cut(DB, NIGHTLY, Map.of());
    Gate gate = two.after(DELETE_SNAPSHOT);
    CompletableFuture<Boolean> dropped = begun(() -> two.controller.dropSnapshot(DB, NIGHTLY));
    gate.awaitArrival();
    CompletableFuture<Boolean> kept = begun(() -> one.controller.backups().keep(DB, NIGHTLY));
    assertWaits(kept);
    gate.open();

    assertThat(ended(dropped)).isTrue();
    assertThat(ended(kept)).isFalse();
  }

  @Test
  void nothingWaitsForItsTimeOnceAControlPlaneIsClosed() {
    one.controller.create(DB, spec());
    plugin.inject(Fault.fail(StatusCode.UNKNOWN, "?"), When.calling(CONTROLLER_EXPAND_VOLUME));
    assertThat(failure(() -> one.controller.expand(DB, LARGER)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(one.later).as("a look, an attempt, a renewal").hasSizeGreaterThanOrEqualTo(3);

    one.controller.close();

    assertThat(one.later).isEmpty();
    plugin.clearFaults();
  }

  @Test
  void workGoesOnThoughTheResultOfAWriteAboutAnotherVolumeIsUnknown() {
    one.controller.create(DB, spec());
    Gate gate = one.before(CONTROLLER_EXPAND_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.expand(DB, LARGER));
    gate.awaitArrival();
    one.losesAnswersAbout(WEB);
    ControllerException unknown = failure(() -> one.controller.create(WEB, spec()));
    assertThat(unknown.code()).isEqualTo(OperatorCode.CATALOG_UNCONFIRMED);
    assertThat(unknown.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    one.losesNoAnswers();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.create(WEB, spec()));
    CompletableFuture<CatalogVolume> third = begun(() -> two.controller.expand(DB, LARGEST));
    CatalogVolume made = ended(second);
    assertWaits(third);
    for (int i = 0; i < 3; i++) {
      renew(one);
      pass(Duration.ofSeconds(20));
    }
    renew(one);
    assertWaits(third);
    gate.open();

    assertThat(ended(first).capacityBytes()).hasValue(2 << 20);
    assertThat(ended(third).capacityBytes()).hasValue(4 << 20);
    assertThat(one.controller.find(WEB)).contains(made);
    assertThat(plugin.contents().volumes()).hasSize(2);
    assertThat(one.controller.expand(WEB, LARGER).capacityBytes()).hasValue(2 << 20);
  }

  @Test
  void workOnASnapshotOfAGroupEndsThoughThatOfAnotherVolumeCannotBeWritten() {
    one.controller.create(DB, spec());
    one.controller.create(WEB, spec());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"),
        When.calling(CREATE_VOLUME_GROUP_SNAPSHOT).once());
    Gate gate = one.after(CREATE_VOLUME_GROUP_SNAPSHOT);
    CompletableFuture<?> first =
        begun(() -> one.controller.createGroupSnapshot(Set.of(DB, WEB), NIGHTLY, Map.of()));
    gate.awaitArrival();
    one.losesAnswersAbout(DB);
    gate.open();
    assertThat(failure(first).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);

    assertThat(StoredCatalog.record(store, WEB).map(CatalogRecord::work)).contains(List.of());
    one.losesNoAnswers();
    assertThat(two.controller.dropSnapshot(DB, NIGHTLY)).isTrue();
    assertThat(plugin.contents().snapshots()).isEmpty();
  }

  @Test
  void theCreationOfAControlPlaneThatStandsStillIsTakenOverUnderTheSameName() {
    Gate gate = one.after(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.create(DB, spec()));
    assertWaits(second);
    pass(Duration.ofSeconds(31));

    CatalogVolume made = ended(second);
    assertThat(StoredCatalog.record(store, DB).orElseThrow().epoch()).isEqualTo(2);
    gate.open();
    ControllerException over = failure(first);
    assertThat(over.code()).isEqualTo(OperatorCode.VOLUME_TAKEN_OVER);
    assertThat(over.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
    assertThat(one.controller.create(DB, spec())).isEqualTo(made);
    assertThat(
            plugin.journal().calls(CREATE_VOLUME).stream()
                .map(call -> call.request().text("name"))
                .distinct())
        .hasSize(1);
  }

  @Test
  void whileTheStoreHoldsAWriteOfTheSessionTheStatusAndListsAreShown() throws Exception {
    CatalogVolume db = one.controller.create(DB, spec());
    pass(Duration.ofSeconds(10));
    Gate gate = one.beforeWriteOfSession();
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(WEB, spec()));
    gate.awaitArrival();

    assertThat(begun(one.controller::status).get(30, TimeUnit.SECONDS).volumes())
        .isEqualTo(Map.of(VolumeSummary.State.PRESENT, 1));
    assertThat(begun(one.controller::volumes).get(30, TimeUnit.SECONDS)).containsExactly(db);
    assertThat(first).isNotDone();
    gate.open();
    ended(first);
  }

  @Test
  void aControlPlaneThatStoodStillSendsNoCallForWorkThatMayBeTakenOver() {
    one.controller.create(DB, spec());
    Gate gate = one.before(DELETE_VOLUME);
    CompletableFuture<Boolean> first = begun(() -> one.controller.delete(DB));
    gate.awaitArrival();
    pass(Duration.ofSeconds(21));
    gate.open();

    ControllerException stopped = failure(first);
    assertThat(stopped.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_CANCELLED);
    assertThat(stopped.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(calls(DELETE_VOLUME)).isZero();
    two.controller.resume(DB);
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void theDeletionOfAControlPlaneThatStandsStillIsBroughtToItsEndByTheOther() {
    one.controller.create(DB, spec());
    Gate gate = one.after(DELETE_VOLUME);
    CompletableFuture<Boolean> first = begun(() -> one.controller.delete(DB));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second =
        begun(
            () -> {
              two.controller.delete(DB);
              return two.controller.create(DB, spec());
            });
    assertWaits(second);
    pass(Duration.ofSeconds(31));
    CatalogVolume made = ended(second);
    gate.open();

    assertThat(failure(first).code()).isEqualTo(OperatorCode.VOLUME_TAKEN_OVER);
    assertThat(one.controller.find(DB)).contains(made);
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
  }

  @Test
  void aSizeThatAControlPlaneThatStandsStillWritesLateReplacesNoLaterOne() {
    one.controller.create(DB, spec());
    Gate gate = one.after(CONTROLLER_EXPAND_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.expand(DB, LARGER));
    gate.awaitArrival();
    CompletableFuture<CatalogVolume> second = begun(() -> two.controller.expand(DB, LARGEST));
    assertWaits(second);
    pass(Duration.ofSeconds(31));
    assertThat(ended(second).capacityBytes()).hasValue(4 << 20);
    gate.open();

    assertThat(failure(first).code()).isEqualTo(OperatorCode.VOLUME_TAKEN_OVER);
    assertThat(one.controller.find(DB).orElseThrow().capacityBytes()).hasValue(4 << 20);
  }

  @Test
  void theSnapshotOfAControlPlaneThatStandsStillIsDroppedByTheOtherAndNotPutOnRecordAgain() {
    one.controller.create(DB, spec());
    Gate gate = one.after(CREATE_SNAPSHOT);
    CompletableFuture<Snapshot> first =
        begun(() -> one.controller.backups().cut(DB, NIGHTLY, Map.of()));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.dropSnapshot(DB, NIGHTLY));
    assertWaits(second);
    pass(Duration.ofSeconds(31));
    assertThat(ended(second)).isTrue();
    gate.open();

    assertThat(ended(first).id()).isNotNull();
    Waits.until(() -> one.controller.backups().pending().isEmpty());
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(StoredCatalog.record(store, DB).map(CatalogRecord::work)).contains(List.of());
  }

  @Test
  void theDeletionOfAControlPlaneThatNeverComesBackIsDoneByTheOtherInTheBackground() {
    one.controller.create(DB, spec());
    Gate gate = one.before(DELETE_VOLUME);
    CompletableFuture<Boolean> first = begun(() -> one.controller.delete(DB));
    gate.awaitArrival();
    Waits.until(() -> two.controller.pending().equals(List.of(DB)));

    two.runTimers();
    pass(Duration.ofSeconds(31));
    two.runTimers();
    two.runTimers();
    Waits.until(() -> StoredCatalog.record(store, DB).isEmpty());
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(hold()).isEqualTo(Optional.empty());
    gate.open();
    assertThat(failure(first).code()).isEqualTo(OperatorCode.CONTROLLER_CALL_CANCELLED);
    assertThat(calls(DELETE_VOLUME)).isEqualTo(1);
  }

  @Test
  void aDeletionThatWasTakenOverIsNotTakenBackWhereTheStorageSystemRefusesIt() {
    one.controller.create(DB, spec());
    Gate gate = one.before(DELETE_VOLUME);
    CompletableFuture<Boolean> first = begun(() -> one.controller.delete(DB));
    gate.awaitArrival();
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "it has snapshots"),
        When.calling(DELETE_VOLUME).once());
    CompletableFuture<Boolean> second = begun(() -> two.controller.delete(DB));
    assertWaits(second);
    pass(Duration.ofSeconds(31));

    assertThat(failure(second).outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(two.controller.record(DB).map(CatalogEntry::state))
        .as("a repeat of the first call may still delete it")
        .containsInstanceOf(State.Deleting.class);
    gate.open();
    assertThat(failure(first).code()).isEqualTo(OperatorCode.CONTROLLER_CALL_CANCELLED);
    two.controller.resume(DB);
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(hold()).isEqualTo(Optional.empty());
  }

  private ClaimBook claims() {
    return new ClaimBook(store, java.time.Clock.systemUTC());
  }

  private ClaimHolder claimed() {
    return claims().claim(claim(DB));
  }

  private static ClaimRequest claim(VolumeKey volume) {
    return ClaimRequest.builder(
            VolumeUse.of(volume, WorkloadId.of("web-1")),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("node-1"))
        .build();
  }

  /** Returns the hold of a deletion. */
  private Optional<ClaimHolder> hold() {
    return claims().read(DB).holder(Claim.DELETION);
  }

  @Test
  void aDeletionThatHoldsTheClaimsAfterItWasTakenOverLeavesNoHold() {
    Plane apart = new Plane("apart", false);
    apart.controller.create(DB, spec());
    Gate gate = apart.afterIntent();
    CompletableFuture<Boolean> first = begun(() -> apart.controller.delete(DB));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.delete(DB));
    assertWaits(second);
    pass(Duration.ofSeconds(31));
    assertThat(ended(second)).isTrue();
    gate.open();

    ControllerException over = failure(first);
    assertThat(over.code()).isEqualTo(OperatorCode.VOLUME_TAKEN_OVER);
    assertThat(over.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(hold()).isEqualTo(Optional.empty());
    assertThat(calls(DELETE_VOLUME)).isEqualTo(1);
  }

  @Test
  void aDeletionThatFindsAClaimAfterItWasTakenOverNamesBoth() {
    Plane apart = new Plane("apart", false);
    apart.controller.create(DB, spec());
    Gate gate = apart.afterIntent();
    CompletableFuture<Boolean> first = begun(() -> apart.controller.delete(DB));
    gate.awaitArrival();
    CompletableFuture<Boolean> second = begun(() -> two.controller.delete(DB));
    assertWaits(second);
    pass(Duration.ofSeconds(31));
    assertThat(ended(second)).isTrue();
    ClaimHolder claimed = claimed();
    gate.open();

    ControllerException over = failure(first);
    assertThat(over.code()).isEqualTo(OperatorCode.VOLUME_TAKEN_OVER);
    assertThat(over.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(over.getSuppressed())
        .singleElement()
        .satisfies(
            before ->
                assertThat(((ControllerException) before).code())
                    .isEqualTo(OperatorCode.VOLUME_CLAIMED));
    assertThat(claims().read(DB).holders().values()).containsExactly(claimed);
  }

  @Test
  void theHoldOfADeletionOfTheOtherIsNotEndedByADeregistration() {
    assertKeepsTheHoldOfTheOther(() -> two.controller.deregister(DB));
  }

  @Test
  void theHoldOfADeletionOfTheOtherIsNotEndedByForgetting() {
    assertKeepsTheHoldOfTheOther(
        () ->
            two.controller.deregister(
                DB, new ClaimOverride.Person("ops"), new ReasonText("it is gone")));
  }

  private void assertKeepsTheHoldOfTheOther(Supplier<Boolean> forgets) {
    one.controller.create(DB, spec());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> one.controller.delete(DB)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    Gate looked = two.afterLookAtClaims();
    CompletableFuture<Boolean> second = begun(forgets);
    looked.awaitArrival();
    Gate gate = one.before(DELETE_VOLUME);
    CompletableFuture<Boolean> first = begun(() -> one.controller.resume(DB));
    gate.awaitArrival();
    Optional<ClaimHolder> held = hold();
    assertThat(held).isPresent();
    looked.open();

    assertWaits(second);
    assertThat(hold()).isEqualTo(held);
    gate.open();
    assertThat(ended(first)).isTrue();
    assertThat(ended(second)).as("it was gone by then").isFalse();
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void whatAControlPlaneHasLeftUndoneIsDoneByTheOther() {
    one.controller.create(DB, spec());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> one.controller.delete(DB)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    one.controller.close();

    Waits.until(
        () -> {
          two.runTimers();
          return two.controller.pending().isEmpty();
        });
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void aVolumeThatWaitsForAPersonIsResumedWithAnyControlPlane() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    assertThat(failure(() -> one.controller.create(DB, spec())).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(
        Fault.fail(StatusCode.NOT_FOUND, "the source is gone"), When.calling(CREATE_VOLUME));
    assertThat(failure(() -> one.controller.delete(DB)).code())
        .isEqualTo(OperatorCode.VOLUME_MAY_BE_LEFT);
    runsUntil(two, () -> two.controller.held().equals(List.of(DB)));
    assertThat(two.controller.changes(DB))
        .extracting(VolumeChange::progress)
        .containsExactly(VolumeChange.Progress.HELD);
    plugin.clearFaults();
    one.controller.resume(DB);
    assertThat(plugin.contents().empty()).isTrue();
    Waits.until(() -> two.controller.held().isEmpty());

    one.controller.create(DB, spec());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> one.controller.delete(DB)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    runsUntil(two, () -> StoredCatalog.record(store, DB).isEmpty());
    assertThat(plugin.contents().empty()).isTrue();
  }

  private static void runsUntil(Plane plane, BooleanSupplier done) {
    Waits.until(
        () -> {
          plane.runTimers();
          return done.getAsBoolean();
        });
  }

  @Test
  void aControlPlaneThatIsClosedDuringItsWorkLeavesNoSessionOnceThatHasEnded() {
    one.controller.create(DB, spec());
    Gate gate = one.after(CONTROLLER_EXPAND_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.expand(DB, LARGER));
    gate.awaitArrival();
    one.controller.close();
    assertThat(sessions()).as("its work goes on").hasSize(1);
    gate.open();

    assertThat(ended(first).capacityBytes()).hasValue(2 << 20);
    assertThat(work()).isEqualTo(Optional.empty());
    assertThat(sessions()).isEmpty();
  }

  @Test
  void aControlPlaneThatIsClosedLeavesNoSession() {
    one.controller.create(DB, spec());
    assertThat(sessions()).hasSize(1);
    one.controller.close();
    assertThat(sessions()).isEmpty();
    assertThat(two.controller.find(DB).map(CatalogVolume::id))
        .isEqualTo(Optional.of(plugin.contents().volumes().iterator().next()));
  }

  // ---- upkeep

  @Test
  void oneControlPlaneHasAChoreUntilItIsClosed() {
    assertThat(one.controller.takeUpkeep("reap")).isEmpty();
    assertThat(two.controller.takeUpkeep("reap")).contains("one");
    assertThat(one.controller.takeUpkeep("reap")).isEmpty();

    one.controller.close();

    assertThat(two.controller.takeUpkeep("reap")).isEmpty();
    assertThatThrownBy(() -> one.controller.takeUpkeep("reap"))
        .isInstanceOfSatisfying(
            ControllerException.class,
            closed -> assertThat(closed.code()).isEqualTo(OperatorCode.ENGINE_CLOSED));
  }

  @Test
  void aChoreThatIsLeftIsTakenByTheNextThatAsks() {
    Gate gate = one.after(CREATE_VOLUME);
    CompletableFuture<CatalogVolume> first = begun(() -> one.controller.create(DB, spec()));
    gate.awaitArrival();
    assertThat(one.controller.takeUpkeep("reap")).isEmpty();
    one.controller.leaveUpkeep("reap");
    assertThat(two.controller.takeUpkeep("reap")).as("the session of the other goes on").isEmpty();

    one.controller.leaveUpkeep("reap");
    assertThat(one.controller.takeUpkeep("reap")).as("it left what was its own").contains("two");
    gate.open();
    assertThat(ended(first).key()).isEqualTo(DB);
  }

  @Test
  void controlPlanesShareTheChores() {
    assertThat(one.controller.takeUpkeep("reap")).isEmpty();
    assertThat(two.controller.takeUpkeep("health")).isEmpty();
    assertThat(two.controller.takeUpkeep("reap")).contains("one");
    assertThat(one.controller.takeUpkeep("health")).contains("two");
  }

  @Test
  void aControlPlaneThatHasAllChoresByAnOlderRecordHasEachOfThem() {
    one.controller.create(DB, spec());
    SessionRecord older =
        new RecordValues<>(store, SessionCodec.ofSessions())
            .page(Optional.empty(), 100)
            .records()
            .get(0)
            .value()
            .orElseThrow();
    RecordBook<SessionRecord> turns =
        new RecordBook<>(store, SessionCodec.ofUpkeep(), Optional.empty());
    var unused =
        turns.apply(
            SessionCodec.UPKEEP,
            true,
            none -> new RecordBook.Decision.Write<>(SessionRecord.begun(older.owner())));

    assertThat(two.controller.takeUpkeep("reap")).contains("one");
    assertThat(two.controller.takeUpkeep("health")).contains("one");
    one.controller.close();
    assertThat(two.controller.takeUpkeep("reap")).isEmpty();
  }

  @Test
  void theChoreOfAControlPlaneThatHasEndedIsTaken() {
    assertThat(one.controller.takeUpkeep("reap")).isEmpty();
    assertThat(two.controller.takeUpkeep("reap")).contains("one");
    pass(Duration.ofSeconds(29));
    assertThat(two.controller.takeUpkeep("reap")).contains("one");
    pass(Duration.ofSeconds(2));
    assertThat(two.controller.takeUpkeep("reap")).isEmpty();

    assertThat(one.controller.takeUpkeep("reap")).as("it was only slow").contains("two");
  }
}
