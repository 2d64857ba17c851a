package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The process ends at each step of an operation in turn: before and after every write and every
 * call, the calls being to a real plugin. In the end no volume is left, and there were never two.
 */
class ControllerCrashTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey LOG = VolumeKey.of("log");
  private static final Set<VolumeKey> BOTH = new TreeSet<>(Set.of(DB, LOG));
  private static final SnapshotName NIGHTLY = SnapshotName.of("nightly");

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered(PluginShape.full());
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-test");
  private final RegistryControllers controllers = world.controllers(threads);

  @AfterEach
  void nothingIsLeftAndNoDutyWasBroken() {
    controllers.close();
    threads.close();
    plugin.assertLawful();
    assertThat(plugin.contents().empty()).isTrue();
    world.close();
  }

  /** How many calls that change parameters were seen. */
  private final AtomicInteger modified = new AtomicInteger();

  /** How a process ends. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** One life of a process, which ends at a step. */
  private final class Life implements Controllers {

    private final RecordStore store;
    private final int end;
    private final AtomicInteger steps = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Optional<VolumeId> unusableAs;
    private final boolean isUnusable;

    Life(MemoryMedium medium, int end, boolean isUnusable, Optional<VolumeId> unusableAs) {
      medium.crash();
      this.store = new SteppingStore(LocalStore.on(medium.open()), this::step);
      this.end = end;
      this.isUnusable = isUnusable;
      this.unusableAs = unusableAs;
    }

    private void step() {
      if (over.get() || steps.getAndIncrement() == end) {
        over.set(true);
        throw new Crash();
      }
    }

    boolean isOver() {
      return over.get();
    }

    private WriteResult step(Optional<CatalogRecord> next, Supplier<WriteResult> write) {
      step();
      WriteResult result = write.get();
      step();
      return result;
    }

    List<CatalogEntry> load() {
      return StoredCatalog.entries(store);
    }

    @Override
    public CompletableFuture<Secrets> secrets(
        PluginId plugin, SecretsProvider provider, CsiOperation operation, Subject subject) {
      return controllers.secrets(plugin, provider, operation, subject);
    }

    @Override
    public <T> CompletableFuture<T> call(ControllerCall<T> call) {
      if (call.operation() == CsiOperation.CONTROLLER_GET_VOLUME && !over.get()) {
        // The places of a modified volume are asked for beside the operation: that is no step of
        // it.
        return controllers.call(call);
      }
      step();
      return controllers
          .call(call)
          .thenApply(
              answer -> {
                step();
                if (isUnusable && call.operation() == CREATE_VOLUME) {
                  VolumeId made = ((io.csi4j.client.controller.Volume) answer).id();
                  throw ControllerFailures.of(call.subject(), unusable(unusableAs.orElse(made)));
                }
                return answer;
              });
    }

    @Override
    public CompletableFuture<ControllerFacts> facts(PluginId id, Subject subject) {
      return controllers.facts(id, subject);
    }

    @Override
    public CompletableFuture<Boolean> attaches(PluginId id, Subject subject) {
      return controllers.attaches(id, subject);
    }

    @Override
    public CompletableFuture<CsiPlugin> connected(PluginId id, Subject subject) {
      return controllers.connected(id, subject);
    }

    VolumeController open() {
      return ControllerCrashTest.this.open(store, this, new Timers(), key -> Optional.empty());
    }
  }

  /** Whatever is to be done later waits until a test does it. */
  private static final class Timers implements Scheduler {

    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();

    @Override
    public void execute(Runnable work) {
      later.add(work);
    }

    @Override
    public Timer after(Duration delay, Runnable work) {
      later.add(work);
      return () -> later.remove(work);
    }

    @Override
    public double random() {
      return 0.5;
    }

    void runNext() {
      Waits.until(() -> !later.isEmpty());
      later.remove().run();
    }
  }

  private VolumeController open(
      RecordStore store,
      Controllers by,
      Scheduler timers,
      Function<VolumeKey, Optional<Claim>> claims) {
    return new VolumeController(
        VolumeController.builder(world.registry(), store)
            .claims(claims)
            .snapshotPatience(Duration.ofMinutes(1))
            .validation(ValidationResult.Policy.LENIENT)
            .told(message -> {}),
        by,
        new VirtualTime(),
        timers,
        threads,
        () -> {});
  }

  private static CsiAnswerException unusable(VolumeId made) {
    return new CsiAnswerException(
        CsiFailure.builder(
                CsiEndpoint.of(Path.of("/run/csi.sock")),
                StatusCode.OK,
                io.csi4j.client.model.Outcome.UNCERTAIN)
            .operation(CREATE_VOLUME)
            .build(),
        List.of(
            new Violation(
                "volume.capacity_bytes", Violation.Rule.OUT_OF_RANGE, "is 1; asked was more")),
        Optional.of(made.value()));
  }

  private static VolumeSpec spec(boolean isEphemeral) {
    VolumeSpec.Builder spec =
        VolumeSpec.builder(ID)
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
            .capacity(CapacityRange.atLeast(1 << 20));
    return spec.ephemeral(isEphemeral).build();
  }

  /** Whether it came to its end. */
  private static boolean tried(Runnable operation) {
    try {
      operation.run();
      return true;
    } catch (ControllerException failed) {
      return false;
    }
  }

  /**
   * Lets it end at each step in turn until it ends at none; each time, what comes next mends it.
   */
  private int atEachStep(Consumer<VolumeController> work, Consumer<VolumeController> mending) {
    return atEachStep(work, mending, false);
  }

  private int atEachStep(
      Consumer<VolumeController> work, Consumer<VolumeController> mending, boolean isUnusable) {
    return atEachStep(medium -> {}, work, mending, isUnusable, 1);
  }

  /**
   * Lets it end at each step in turn.
   *
   * @param before what an earlier life has left on the medium
   * @param most how many volumes there are at the most
   */
  private int atEachStep(
      Consumer<MemoryMedium> before,
      Consumer<VolumeController> work,
      Consumer<VolumeController> mending,
      boolean isUnusable,
      int most) {
    for (int end = 0; ; end++) {
      List<String> earlier = creations();
      MemoryMedium medium = MemoryMedium.create();
      before.accept(medium);
      Life life = new Life(medium, end, isUnusable, Optional.empty());
      work.accept(life.open());
      assertThat(plugin.contents().volumes()).as("step %s", end).hasSizeLessThanOrEqualTo(most);

      Life next = new Life(medium, Integer.MAX_VALUE, false, Optional.empty());
      mending.accept(next.open());
      assertThat(plugin.contents().volumes()).as("step %s", end).isEmpty();
      assertThat(next.load()).as("step %s", end).isEmpty();
      assertNames(earlier, most);
      if (!life.isOver()) {
        return end;
      }
    }
  }

  private List<String> creations() {
    return plugin.journal().calls(CREATE_VOLUME).stream()
        .map(call -> call.request().text("name"))
        .toList();
  }

  /**
   * Whatever becomes of a life, the next one asks for a volume under the name that is on record.
   *
   * @param earlier the creations of other stories
   * @param most the number of volumes
   */
  private void assertNames(List<String> earlier, int most) {
    assertThat(creations().stream().skip(earlier.size()).distinct())
        .hasSizeLessThanOrEqualTo(most)
        .noneMatch(earlier::contains);
  }

  @Test
  void aVolumeThatWasBeingMadeIsFoundByTheSameRequestAndNeverMadeTwice() {
    int steps =
        atEachStep(
            it -> tried(() -> it.create(DB, spec(false))),
            it -> {
              CatalogVolume made = it.create(DB, spec(false));
              assertThat(plugin.contents().volumes()).containsExactly(made.id());
              assertThat(tried(() -> it.delete(DB))).isTrue();
            });
    assertThat(steps).isEqualTo(6);
  }

  @Test
  void aVolumeThatWasBeingMadeAndIsNotWantedIsDeletedWhateverBecameOfIt() {
    int steps =
        atEachStep(
            it -> tried(() -> it.create(DB, spec(false))),
            it -> assertThat(tried(() -> it.delete(DB))).isTrue());
    assertThat(steps).isEqualTo(6);
  }

  @Test
  void aVolumeThatWasBeingDeletedIsGoneInTheEnd() {
    int steps =
        atEachStep(
            it -> {
              if (tried(() -> it.create(DB, spec(false)))) {
                tried(() -> it.delete(DB));
              }
            },
            it -> assertThat(tried(() -> it.delete(DB))).isTrue());
    assertThat(steps).isEqualTo(12);
  }

  @Test
  void aSnapshotThatWasBeingCutIsOwedUntilItIsDropped() {
    SnapshotName name = SnapshotName.of("nightly");
    AtomicBoolean told = new AtomicBoolean();
    AtomicInteger unowed = new AtomicInteger();
    int steps =
        atEachStep(
            it -> {
              told.set(
                  tried(() -> it.create(DB, spec(false)))
                      && tried(() -> it.createSnapshot(DB, name, Map.of())));
            },
            it -> {
              boolean isOwed = it.pending().contains(DB);
              if (isOwed && !plugin.contents().snapshots().isEmpty()) {
                assertThat(tried(() -> it.delete(DB))).as("only its volume finds it").isFalse();
              }
              if (!isOwed && !told.get() && !plugin.contents().snapshots().isEmpty()) {
                unowed.incrementAndGet();
              }
              if (isOwed) {
                assertThat(it.dropSnapshot(DB, name)).isTrue();
              }
              for (SnapshotId left : plugin.contents().snapshots()) {
                assertThat(tried(() -> it.deleteSnapshot(ID, left, Optional.empty()))).isTrue();
              }
              assertThat(it.pending()).isEmpty();
              assertThat(tried(() -> it.delete(DB))).isTrue();
            });
    assertThat(steps).isEqualTo(12);
    assertThat(unowed).as("between its last write and the answer").hasValue(1);
  }

  // ---- groups of snapshots

  /** Lets a process that has both volumes end at each step of its work with a group of them. */
  private int withGroupAtEachStep(
      Consumer<VolumeController> work, Consumer<VolumeController> mending) {
    return atEachStep(
        medium -> {
          VolumeController it = new Life(medium, Integer.MAX_VALUE, false, Optional.empty()).open();
          BOTH.forEach(key -> assertThat(it.create(key, spec(false)).key()).isEqualTo(key));
        },
        work,
        it -> {
          mending.accept(it);
          assertThat(it.backups().pending()).isEmpty();
          assertThat(plugin.contents().groups()).isEmpty();
          assertThat(plugin.contents().snapshots()).isEmpty();
          BOTH.forEach(key -> assertThat(tried(() -> it.delete(key))).isTrue());
        },
        false,
        BOTH.size());
  }

  private static boolean isOnRecord(VolumeController it, VolumeKey volume) {
    return it.backups().pending().containsKey(volume);
  }

  /** What is at the plugin is on record, with each of its volumes, and none of them is deleted. */
  private void assertNoneIsOrphaned(VolumeController it) {
    if (plugin.contents().snapshots().isEmpty()) {
      return;
    }
    assertThat(plugin.contents().groups()).hasSize(1);
    assertThat(plugin.contents().snapshots()).hasSameSizeAs(BOTH);
    for (VolumeKey each : BOTH) {
      assertThat(it.backups().pending().get(each))
          .singleElement()
          .satisfies(cut -> assertThat(cut.group()).isEqualTo(BOTH))
          .satisfies(
              cut ->
                  cut.answer().ifPresent(answer -> assertThat(answer).isEqualTo(atThePlugin(it))));
      assertThat(tried(() -> it.delete(each))).as("only its volumes find it").isFalse();
    }
  }

  /** The group that is at the plugin, as it belongs on record. */
  private CatalogEntry.PendingSnapshot.Answer atThePlugin(VolumeController it) {
    Map<VolumeId, SnapshotId> members = new TreeMap<>(Comparator.comparing(VolumeId::value));
    try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      client
          .controller()
          .listSnapshots(ListSnapshotsRequest.builder().build())
          .entries()
          .forEach(each -> members.put(each.sourceVolumeId(), each.id()));
    }
    assertThat(members.keySet())
        .containsExactlyInAnyOrderElementsOf(
            BOTH.stream().map(key -> it.find(key).orElseThrow().id()).toList());
    return new CatalogEntry.PendingSnapshot.Answer(
        Optional.of(plugin.contents().groups().get(0)), members);
  }

  @Test
  void aGroupThatWasBeingCutIsFoundByTheSameRequestWithAllItsMembers() {
    int steps =
        withGroupAtEachStep(
            it -> tried(() -> it.backups().cut(BOTH, NIGHTLY, Map.of())),
            it -> {
              assertNoneIsOrphaned(it);
              List<GroupSnapshotId> before = plugin.contents().groups();
              VolumeGroupSnapshot again = it.backups().cut(BOTH, NIGHTLY, Map.of());
              if (!before.isEmpty()) {
                assertThat(again.id()).isEqualTo(before.get(0));
              }
              assertThat(plugin.contents().groups()).containsExactly(again.id());
              assertThat(again.snapshots())
                  .extracting(Snapshot::id)
                  .containsExactlyInAnyOrderElementsOf(plugin.contents().snapshots());
              assertThat(it.backups().readyGroup(LOG, NIGHTLY).id()).isEqualTo(again.id());
              assertNoneIsOrphaned(it);
              BOTH.forEach(
                  key ->
                      assertThat(it.backups().pending().get(key))
                          .extracting(CatalogEntry.PendingSnapshot::answer)
                          .containsExactly(Optional.of(atThePlugin(it))));
              assertThat(it.dropSnapshot(LOG, NIGHTLY)).isTrue();
            });
    assertThat(steps).as("two intents, a call, two answers").isEqualTo(10);
  }

  @Test
  void aGroupThatWasBeingCutAndIsNotWantedIsDroppedByAnyOfItsVolumes() {
    for (VolumeKey by : BOTH) {
      int steps =
          withGroupAtEachStep(
              it -> tried(() -> it.backups().cut(BOTH, NIGHTLY, Map.of())),
              it -> {
                assertNoneIsOrphaned(it);
                boolean isOnRecord = !it.backups().pending().isEmpty();
                assertThat(it.dropSnapshot(by, NIGHTLY)).as("by %s", by).isEqualTo(isOnRecord);
              });
      assertThat(steps).isEqualTo(10);
    }
  }

  @Test
  void aGroupThatWasBeingDroppedIsGoneWhenItIsDroppedAgainByTheSameVolume() {
    for (VolumeKey by : BOTH) {
      int steps =
          withGroupAtEachStep(
              it -> {
                if (tried(() -> it.backups().cut(BOTH, NIGHTLY, Map.of()))) {
                  tried(() -> it.dropSnapshot(by, NIGHTLY));
                }
              },
              it -> {
                assertNoneIsOrphaned(it);
                it.dropSnapshot(by, NIGHTLY);
              });
      assertThat(steps).as("a call, and two records").isEqualTo(10 + 6);
    }
  }

  @Test
  void aGroupThatWasBeingKeptIsOffTheRecordOfAllItsVolumesWhenItIsKeptAgain() {
    for (VolumeKey by : BOTH) {
      AtomicReference<VolumeGroupSnapshot> told = new AtomicReference<>();
      int steps =
          withGroupAtEachStep(
              it -> {
                told.set(null);
                if (tried(() -> told.set(it.backups().cut(BOTH, NIGHTLY, Map.of())))) {
                  tried(() -> it.backups().keep(by, NIGHTLY));
                }
              },
              it -> {
                VolumeGroupSnapshot noted = told.get();
                if (noted == null) {
                  assertNoneIsOrphaned(it);
                  it.dropSnapshot(by, NIGHTLY);
                  return;
                }
                boolean isOnRecord = BOTH.stream().anyMatch(key -> isOnRecord(it, key));
                assertThat(it.backups().keep(by, NIGHTLY)).isEqualTo(isOnRecord);
                assertThat(it.backups().pending()).isEmpty();
                assertThat(plugin.contents().groups()).containsExactly(noted.id());
                List<SnapshotId> members = noted.snapshots().stream().map(Snapshot::id).toList();
                assertThat(plugin.contents().snapshots())
                    .containsExactlyInAnyOrderElementsOf(members);
                it.deleteGroupSnapshot(ID, noted.id(), members, Optional.empty());
              });
      assertThat(steps).as("two records").isEqualTo(10 + 4);
    }
  }

  @Test
  void aGroupThatIsMadeInOneCallIsOwedUntilItsCallerIsTold() {
    AtomicReference<VolumeGroupSnapshot> told = new AtomicReference<>();
    AtomicInteger unowed = new AtomicInteger();
    int steps =
        withGroupAtEachStep(
            it -> {
              told.set(null);
              tried(() -> told.set(it.createGroupSnapshot(BOTH, NIGHTLY, Map.of())));
            },
            it -> {
              VolumeGroupSnapshot noted = told.get();
              boolean isOnRecordOfLog = isOnRecord(it, LOG);
              if (isOnRecordOfLog && !isOnRecord(it, DB)) {
                assertThat(tried(() -> it.delete(DB))).as("its record of the group ended").isTrue();
                assertThat(it.dropSnapshot(LOG, NIGHTLY)).isTrue();
              } else if (isOnRecordOfLog || isOnRecord(it, DB)) {
                assertThat(it.dropSnapshot(DB, NIGHTLY)).isTrue();
              } else if (!plugin.contents().groups().isEmpty()) {
                if (noted == null) {
                  unowed.incrementAndGet();
                }
                it.deleteGroupSnapshot(
                    ID,
                    plugin.contents().groups().get(0),
                    List.copyOf(plugin.contents().snapshots()),
                    Optional.empty());
              }
            });
    assertThat(steps).as("two intents, a call, two answers, two records").isEqualTo(14);
    assertThat(unowed).as("between its last write and the answer").hasValue(1);
  }

  @Test
  void anEphemeralVolumeThatNobodyWantsAnyMoreIsDeletedWhereverItsLifeEnded() {
    int steps =
        atEachStep(
            it -> {
              if (tried(() -> it.create(DB, spec(true)))) {
                tried(() -> it.delete(DB));
              }
            },
            it -> assertThat(it.retainEphemeral(Set.of())).isEmpty());
    assertThat(steps).isEqualTo(12);
  }

  @Test
  void whatCannotBeUsedIsDeletedOnceAndStaysOnRecordUntilItIs() {
    int steps =
        atEachStep(
            it -> assertThat(tried(() -> it.create(DB, spec(false)))).isFalse(),
            it -> assertThat(tried(() -> it.delete(DB))).isTrue(),
            true);
    assertThat(steps).isEqualTo(10);
  }

  @Test
  void aVolumeThatWasBeingGrownIsAsLargeAsItIsAndTheNodeIsTold() {
    CapacityRange large = CapacityRange.atLeast(4 << 20);
    int steps =
        atEachStep(
            it -> {
              if (tried(() -> it.create(DB, spec(false)))) {
                tried(() -> it.expand(DB, large));
              }
            },
            it -> {
              it.create(DB, spec(false));
              CatalogVolume grown = it.expand(DB, large);
              assertThat(grown.capacityBytes()).hasValue(4 << 20);
              assertThat(grown.pendingOnNode()).contains(large);
              assertThat(tried(() -> it.delete(DB))).isTrue();
            });
    assertThat(steps).isEqualTo(12);
  }

  @Test
  void parametersThatWereBeingChangedAreThoseOfTheRecordInTheEnd() {
    Map<String, String> faster = Map.of("iops", "2");
    int steps =
        atEachStep(
            it -> {
              if (tried(() -> it.create(DB, spec(false)))) {
                tried(() -> it.modify(DB, faster));
              }
            },
            it -> {
              it.create(DB, spec(false));
              boolean isOwed = it.pending().contains(DB);
              boolean isOnRecord =
                  it.find(DB).orElseThrow().spec().mutableParameters().equals(faster);
              assertThat(it.changes(DB))
                  .extracting(VolumeChange::request)
                  .isEqualTo(
                      isOwed
                          ? List.of(new VolumeChange.Request.Parameters(new TreeMap<>(faster)))
                          : List.of());
              if (!isOnRecord && !isOwed) {
                assertThat(plugin.journal().calls(CsiOperation.CONTROLLER_MODIFY_VOLUME))
                    .as("nothing was sent that is not on record")
                    .hasSize(modified.get());
              }
              modified.set(plugin.journal().calls(CsiOperation.CONTROLLER_MODIFY_VOLUME).size());
              assertThat(it.modify(DB, faster).spec().mutableParameters()).isEqualTo(faster);
              assertThat(it.pending()).isEmpty();
              modified.incrementAndGet();
              assertThat(tried(() -> it.delete(DB))).isTrue();
            });
    assertThat(steps).isEqualTo(12);
  }

  @Test
  void theAnswerIsLostOnTheWayAtEachCallAndNothingLeaks() {
    for (CsiOperation lost : List.of(CREATE_VOLUME, CsiOperation.DELETE_VOLUME)) {
      for (Fault fault :
          List.of(
              Fault.applyThenDrop(),
              Fault.drop(),
              Fault.applyThenFail(StatusCode.INTERNAL, "?"),
              Fault.fail(StatusCode.ABORTED, "busy"))) {
        List<String> earlier = creations();
        MemoryMedium medium = MemoryMedium.create();
        VolumeController first =
            new Life(medium, Integer.MAX_VALUE, false, Optional.empty()).open();
        plugin.inject(fault, When.calling(lost).once());
        if (tried(() -> first.create(DB, spec(true)))) {
          assertThat(tried(() -> first.delete(DB))).isFalse();
        }
        plugin.clearFaults();
        Life next = new Life(medium, Integer.MAX_VALUE, false, Optional.empty());
        assertThat(next.open().retainEphemeral(Set.of())).isEmpty();
        assertThat(plugin.contents().volumes()).as("%s at %s", fault, lost).isEmpty();
        assertThat(next.load()).isEmpty();
        assertNames(earlier, 1);
      }
    }
  }

  @Test
  void aVolumeThatGotTheIdOfAnotherIsNeverDeleted() {
    MemoryMedium medium = MemoryMedium.create();
    VolumeController good = new Life(medium, Integer.MAX_VALUE, false, Optional.empty()).open();
    CatalogVolume first = good.create(VolumeKey.of("first"), spec(false));

    VolumeController bad =
        new Life(medium, Integer.MAX_VALUE, true, Optional.of(first.id())).open();
    List<ThrowingCallable> operations =
        List.of(
            () -> bad.create(DB, spec(false)),
            () -> bad.create(DB, spec(false)),
            () -> bad.delete(DB));
    for (ThrowingCallable operation : operations) {
      ControllerException failed = catchThrowableOfType(ControllerException.class, operation);
      assertThat(failed.code()).isEqualTo(OperatorCode.VOLUME_ID_TAKEN);
      assertThat(failed.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(failed).hasMessageContaining("that id belongs to 'default/first'");
    }
    assertThat(plugin.contents().volumes()).contains(first.id());

    VolumeController mended = new Life(medium, Integer.MAX_VALUE, false, Optional.empty()).open();
    assertThat(tried(() -> mended.delete(DB))).isTrue();
    assertThat(plugin.contents().volumes()).containsExactly(first.id());
    assertThat(tried(() -> mended.delete(first.key()))).isTrue();
  }

  @Test
  void whatIsClaimedWhileItsDeletionIsOwedIsNotDeletedBeforeItIsGivenBack() {
    AtomicReference<Claim> claim = new AtomicReference<>(Claim.none(DB));
    AtomicInteger looks = new AtomicInteger();
    Timers timers = new Timers();
    VolumeController opened =
        open(
            LocalStore.on(MemoryMedium.create().open()),
            controllers,
            timers,
            key -> {
              looks.incrementAndGet();
              return Optional.of(claim.get());
            });
    assertThat(tried(() -> opened.create(DB, spec(false)))).isTrue();
    plugin.inject(Fault.drop(), When.calling(CsiOperation.DELETE_VOLUME).once());
    assertThat(tried(() -> opened.delete(DB))).isFalse();
    assertThat(opened.pending()).containsExactly(DB);
    MemoryStore store = new MemoryStore();
    new ClaimBook(store, Clock.systemUTC())
        .claim(
            ClaimRequest.builder(
                    VolumeUse.of(DB, WorkloadId.of("web-1")),
                    NodeName.of("n1"),
                    new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                    ClaimMode.WRITE)
                .build());
    claim.set(StoredClaims.in(store).claim(DB));

    int before = looks.get();
    timers.runNext();
    Waits.until(() -> looks.get() > before && !timers.later.isEmpty());
    assertThat(plugin.journal().calls(CsiOperation.DELETE_VOLUME)).hasSize(1);

    claim.set(Claim.none(DB));
    timers.runNext();
    Waits.until(() -> opened.pending().isEmpty());
    assertThat(plugin.contents().empty()).isTrue();
  }
}
