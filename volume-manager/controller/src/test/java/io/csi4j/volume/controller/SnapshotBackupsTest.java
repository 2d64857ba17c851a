package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.GET_METADATA_DELTA;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Snapshots that are cut in a moment and ready later, maybe for another life of the host. */
class SnapshotBackupsTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey LOG = VolumeKey.of("log");
  private static final SnapshotName NIGHTLY = SnapshotName.of("nightly");
  private static final Map<String, String> FULL = Map.of("kind", "full");

  private final Leaping time = new Leaping();
  private final ControllerWorld world = new ControllerWorld();
  private final MemoryMedium medium = MemoryMedium.create();
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-test");
  private final FakeCsiPlugin plugin =
      FakeCsiPlugin.builder()
          .clock(time.ofPlugin())
          .shape(PluginShape.full().accessTypes(true, true))
          .effects(NodeEffects.none())
          .snapshotsReadyAfter(Duration.ofSeconds(5))
          .open();
  private final RegistryControllers controllers = world.controllers(threads);
  private VolumeController controller = open(Duration.ofHours(1));

  private VolumeController open(Duration patience) {
    return open(patience, time);
  }

  private VolumeController open(Duration patience, Scheduler timers) {
    return new VolumeController(
        VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
            .snapshotPatience(patience)
            .told(message -> {}),
        controllers,
        time,
        timers,
        threads,
        () -> {});
  }

  private SnapshotBackups start() {
    world.register("only", plugin.endpoint());
    for (VolumeKey each : List.of(DB, LOG)) {
      assertThat(
              controller
                  .create(
                      each,
                      VolumeSpec.builder(ID)
                          .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK)
                          .capacity(CapacityRange.atLeast(1L << 30))
                          .build())
                  .key())
          .isEqualTo(each);
    }
    return controller.backups();
  }

  /** The host is killed, and begins again with what is on its disk. */
  private SnapshotBackups restarted(Duration patience) {
    medium.crash();
    controller = open(patience);
    return controller.backups();
  }

  private SnapshotBackups restarted() {
    return restarted(Duration.ofHours(1));
  }

  @AfterEach
  void noDutyWasBroken() {
    controllers.close();
    threads.close();
    plugin.assertLawful();
    plugin.close();
    world.close();
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  private Optional<PendingSnapshot.Answer> answered(VolumeKey volume) {
    List<PendingSnapshot> pendingSnapshots =
        controller.backups().pending().getOrDefault(volume, List.of());
    assertThat(pendingSnapshots).hasSize(1);
    return pendingSnapshots.get(0).answer();
  }

  // ---- one

  @Test
  void aSnapshotIsCutInOneCallAndReadyLaterForAnotherLife() {
    Snapshot cut = start().cut(DB, NIGHTLY, FULL);
    assertThat(cut.readyToUse()).isFalse();
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).as("the application goes on").hasSize(1);
    assertThat(time.pauses()).isEmpty();

    SnapshotBackups next = restarted();
    assertThat(answered(DB).orElseThrow().snapshots()).containsOnlyKeys(cut.sourceVolumeId());
    assertThat(answered(DB).orElseThrow().snapshots()).containsValue(cut.id());
    Snapshot ready = next.ready(DB, NIGHTLY);

    assertThat(ready.readyToUse()).isTrue();
    assertThat(ready.id()).isEqualTo(cut.id());
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT).stream().map(it -> it.request()).distinct())
        .as("the same request, parameters included")
        .hasSize(1);
    assertThat(next.ready(DB, NIGHTLY).id()).as("asked again").isEqualTo(cut.id());
    assertThat(next.keep(DB, NIGHTLY)).isTrue();
    assertThat(next.keep(DB, NIGHTLY)).isFalse();
    assertThat(restarted().pending()).isEmpty();
    assertThat(plugin.contents().snapshots()).containsExactly(cut.id());
  }

  @Test
  void theSameNameFindsTheSameSnapshotAndAnotherRequestUnderItIsRefused() {
    Snapshot cut = start().cut(DB, NIGHTLY, FULL);
    assertThat(restarted().cut(DB, NIGHTLY, FULL).id()).isEqualTo(cut.id());
    int calls = plugin.journal().calls(CREATE_SNAPSHOT).size();

    ControllerException other = failure(() -> controller.backups().cut(DB, NIGHTLY, Map.of()));

    assertThat(other.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
    assertThat(other).hasMessageContaining("recorded with other parameters, topologies or volumes");
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).hasSize(calls);
    assertThat(answered(DB).orElseThrow().snapshots()).containsValue(cut.id());
  }

  @Test
  void aTickThatIsRepeatedAfterItWasKeptFindsItsSnapshot() {
    SnapshotBackups backups = start();
    SnapshotId cut = backups.cut(DB, NIGHTLY, FULL).id();
    assertThat(backups.keep(DB, NIGHTLY)).isTrue();

    SnapshotBackups after = restarted();
    assertThat(after.cut(DB, NIGHTLY, FULL).id()).isEqualTo(cut);
    assertThat(after.keep(DB, NIGHTLY)).isTrue();
    assertThat(plugin.contents().snapshots()).containsExactly(cut);
  }

  @Test
  void aCallThatIsLostLeavesTheIntentAndReadyFindsWhatWasCut() {
    SnapshotBackups backups = start();
    plugin.inject(
        Fault.applyThenFail(StatusCode.INTERNAL, "?"), When.calling(CREATE_SNAPSHOT).once());
    ControllerException doubt = failure(() -> backups.cut(DB, NIGHTLY, FULL));
    assertThat(doubt.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);

    SnapshotBackups next = restarted();
    assertThat(answered(DB)).isEmpty();
    assertThat(next.ready(DB, NIGHTLY).readyToUse()).isTrue();
    assertThat(answered(DB)).isPresent();
    assertThat(plugin.contents().snapshots()).hasSize(1);
  }

  @Test
  void oneThatWasRefusedIsNotOnRecord() {
    SnapshotBackups backups = start();
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "no"), When.calling(CREATE_SNAPSHOT).once());
    assertThat(failure(() -> backups.cut(DB, NIGHTLY, FULL)).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);
    assertThat(backups.pending()).isEmpty();
    ControllerException unknown = failure(() -> backups.ready(DB, NIGHTLY));
    assertThat(unknown.code()).isEqualTo(OperatorCode.SNAPSHOT_UNKNOWN);
    assertThat(unknown.outcome()).isEqualTo(ChangeOutcome.REFUSED);
  }

  @Test
  void aVolumeIsNotDeletedBeforeItsSnapshotIsKeptOrDropped() {
    start().cut(DB, NIGHTLY, FULL);
    assertThat(failure(() -> controller.delete(DB)).code()).isEqualTo(OperatorCode.SNAPSHOT_OWED);
    assertThat(controller.pending()).containsExactly(DB);
    int calls = plugin.journal().calls(CREATE_SNAPSHOT).size();

    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();

    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).as("its id is known").hasSize(calls);
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(controller.pending()).isEmpty();
    controller.delete(DB);
  }

  @Test
  void oneThatIsNotReadyInTimeMayBeAskedForAgain() {
    start().cut(DB, NIGHTLY, FULL);
    SnapshotBackups next = restarted(Duration.ofSeconds(2));
    ControllerException late = failure(() -> next.ready(DB, NIGHTLY));
    assertThat(late.code()).isEqualTo(OperatorCode.SNAPSHOT_NOT_READY);
    assertThat(next.pending()).containsOnlyKeys(DB);
    assertThat(restarted().ready(DB, NIGHTLY).readyToUse()).isTrue();
  }

  @Test
  void aSnapshotThatIsGoneIsToldAndTheOneInItsPlaceIsDeleted() {
    Snapshot cut = start().cut(DB, NIGHTLY, FULL);
    try (CsiPlugin somebody = CsiPlugin.connect(plugin.endpoint())) {
      somebody.controller().deleteSnapshot(DeleteSnapshotRequest.builder(cut.id()).build());
    }
    plugin.journal().clear();

    ControllerException lost = failure(() -> restarted().ready(DB, NIGHTLY));

    assertThat(lost.code()).isEqualTo(OperatorCode.SNAPSHOT_LOST);
    assertThat(lost.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(lost).hasMessageContaining("it was created as [" + cut.id() + "]");
    assertThat(plugin.journal().calls(DELETE_SNAPSHOT)).hasSize(1);
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(controller.backups().pending()).isEmpty();
  }

  @Test
  void oneThatIsDroppedWhileItIsAwaitedAfterItsAnswerWasLostIsNotMadeAgain() {
    SnapshotBackups backups = start();
    plugin.inject(Fault.applyThenDrop(), When.calling(CREATE_SNAPSHOT).once());
    assertThat(failure(() -> backups.cut(DB, NIGHTLY, FULL)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    time.inNextPause(() -> assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue());

    ControllerException ended = failure(() -> backups.ready(DB, NIGHTLY));

    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(backups.pending()).isEmpty();
    assertThat(ended.code()).isEqualTo(OperatorCode.SNAPSHOT_UNKNOWN);
    assertThat(ended).hasMessageContaining("it was kept, dropped or deleted meanwhile");
  }

  @Test
  void oneThatIsAskedForAgainWhileTheFirstCallRunsIsOnRecordThoughThatCallFails() {
    assertThat(start().pending()).isEmpty();
    medium.crash();
    controller = open(Duration.ofHours(1), threads);
    SnapshotBackups backups = controller.backups();
    plugin.inject(
        Fault.hang().then(Fault.fail(StatusCode.FAILED_PRECONDITION, "no")),
        When.calling(CREATE_SNAPSHOT).once());
    List<Snapshot> cut = new CopyOnWriteArrayList<>();
    List<ControllerException> failed = new CopyOnWriteArrayList<>();
    Runnable cutting =
        () -> {
          try {
            cut.add(backups.cut(DB, NIGHTLY, FULL));
          } catch (ControllerException refused) {
            failed.add(refused);
          }
        };
    Thread first = new Thread(cutting);
    first.start();
    plugin.journal().await(call -> call.operation() == CREATE_SNAPSHOT, Duration.ofSeconds(30));
    Thread second = new Thread(cutting);
    second.start();
    Waits.until(() -> second.getState() == Thread.State.WAITING);
    plugin.release();
    Waits.until(() -> !first.isAlive() && !second.isAlive());

    assertThat(failed)
        .extracting(ControllerException::outcome)
        .containsExactly(ChangeOutcome.REFUSED);
    assertThat(answered(DB).orElseThrow().snapshots().values())
        .containsExactlyElementsOf(cut.stream().map(Snapshot::id).toList())
        .containsExactlyElementsOf(plugin.contents().snapshots());
  }

  // ---- groups

  @Test
  void theMembersOfAGroupAreOnRecordUntilItIsKept() {
    VolumeGroupSnapshot cut = start().cut(Set.of(DB, LOG), NIGHTLY, FULL);
    assertThat(cut.readyToUse()).isFalse();
    assertThat(plugin.journal().calls(CREATE_VOLUME_GROUP_SNAPSHOT)).hasSize(1);

    SnapshotBackups next = restarted();
    for (VolumeKey each : List.of(DB, LOG)) {
      PendingSnapshot.Answer answer = answered(each).orElseThrow();
      assertThat(answer.group()).contains(cut.id());
      assertThat(answer.snapshots().values())
          .containsExactlyInAnyOrderElementsOf(cut.snapshots().stream().map(Snapshot::id).toList());
      assertThat(answer.snapshots()).containsKey(controller.find(each).orElseThrow().id());
    }
    assertThat(next.readyGroup(LOG, NIGHTLY).readyToUse()).isTrue();
    assertThat(next.readyGroup(LOG, NIGHTLY).id()).isEqualTo(cut.id());
    assertThat(next.keep(LOG, NIGHTLY)).isTrue();
    assertThat(next.pending()).as("with all members").isEmpty();
  }

  @Test
  void aGroupIsDroppedByTheIdsOnRecord() {
    start().cut(Set.of(DB, LOG), NIGHTLY, FULL);
    restarted();
    int calls = plugin.journal().calls(CREATE_VOLUME_GROUP_SNAPSHOT).size();
    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();
    assertThat(plugin.journal().calls(CREATE_VOLUME_GROUP_SNAPSHOT)).hasSize(calls);
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(controller.backups().pending()).isEmpty();
  }

  private static CatalogEntry stored(RecordStore store, VolumeKey key) {
    return StoredCatalog.entry(store, key).orElseThrow();
  }

  /** The host is killed after the group was asked for on the record of one volume only. */
  private SnapshotBackups asDbAloneHasIt(SortedSet<VolumeKey> group) {
    assertThat(start().pending()).isEmpty();
    medium.crash();
    RecordStore store = LocalStore.on(medium.open());
    StoredCatalog.put(
        store,
        stored(store, DB).with(new PendingSnapshot(NIGHTLY.value(), new TreeMap<>(FULL), group)));
    SnapshotBackups next = restarted();
    assertThat(next.pending()).containsOnlyKeys(DB);
    return next;
  }

  @Test
  void aGroupOfWhichOneVolumeIsGoneIsNotCutOfTheOthersAndIsDroppedWithoutACall() {
    SnapshotBackups backups = asDbAloneHasIt(new TreeSet<>(Set.of(DB, LOG)));
    controller.delete(LOG);

    ControllerException gone = failure(() -> backups.readyGroup(DB, NIGHTLY));
    assertThat(gone.code()).isEqualTo(OperatorCode.VOLUME_UNKNOWN);
    assertThat(gone.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(gone).hasMessageContaining("of its 2 volumes only 1 are recorded");
    assertThat(backups.pending()).containsOnlyKeys(DB);

    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();
    assertThat(backups.pending()).isEmpty();
    assertThat(plugin.journal().calls(CREATE_VOLUME_GROUP_SNAPSHOT)).isEmpty();
    controller.delete(DB);
  }

  @Test
  void aGroupIsDroppedOrKeptByAVolumeOfItThatIsGone() {
    SnapshotBackups backups = asDbAloneHasIt(new TreeSet<>(Set.of(DB, LOG)));
    controller.delete(LOG);

    assertThat(controller.dropSnapshot(LOG, SnapshotName.of("weekly"))).isFalse();
    assertThat(controller.dropSnapshot(LOG, NIGHTLY)).isTrue();
    assertThat(backups.keep(LOG, NIGHTLY)).isFalse();

    assertThat(backups.pending()).isEmpty();
    assertThat(plugin.journal().calls(CREATE_VOLUME_GROUP_SNAPSHOT)).isEmpty();
  }

  @Test
  void noSnapshotIsDroppedOrKeptOfAVolumeThatIsNotOnRecord() {
    SnapshotBackups backups = start();
    VolumeKey none = VolumeKey.of("none");
    var unused = backups.cut(DB, NIGHTLY, FULL);

    assertThat(controller.dropSnapshot(none, NIGHTLY)).isFalse();
    assertThat(backups.keep(none, NIGHTLY)).isFalse();

    assertThat(backups.pending()).containsOnlyKeys(DB);
    assertThat(plugin.contents().snapshots()).hasSize(1);
  }

  @Test
  void aGroupThatIsDroppedWhileItIsAwaitedIsNotMadeAgain() {
    SnapshotBackups backups = start();
    time.inNextPause(() -> assertThat(controller.dropSnapshot(LOG, NIGHTLY)).isTrue());

    ControllerException ended =
        failure(() -> controller.createGroupSnapshot(Set.of(DB, LOG), NIGHTLY, FULL));

    assertThat(plugin.contents().groups()).isEmpty();
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(backups.pending()).isEmpty();
    assertThat(ended.code()).isEqualTo(OperatorCode.SNAPSHOT_UNKNOWN);
  }

  @Test
  void aGroupIsRefusedUnderTheNameOfAnotherThatIsOnRecordWithOneOfItsVolumesOnly() {
    SnapshotBackups backups = asDbAloneHasIt(new TreeSet<>(Set.of(DB, LOG)));
    VolumeKey app = VolumeKey.of("app");
    controller.create(
        app,
        VolumeSpec.builder(ID).use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK).build());

    ControllerException other = failure(() -> backups.cut(Set.of(LOG, app), NIGHTLY, FULL));

    assertThat(other.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
    assertThat(other).hasMessageContaining("recorded with other parameters, topologies or volumes");
    assertThat(backups.pending()).containsOnlyKeys(DB);
    assertThat(plugin.journal().calls(CREATE_VOLUME_GROUP_SNAPSHOT)).isEmpty();
    assertThat(controller.dropSnapshot(LOG, NIGHTLY)).isTrue();
    assertThat(backups.cut(Set.of(LOG, app), NIGHTLY, FULL).snapshots()).hasSize(2);
    assertThat(backups.pending()).containsOnlyKeys(LOG, app);
  }

  @Test
  void aGroupThatIsKeptTakesNoOtherGroupOfItsNameOffTheRecord() {
    assertThat(start().pending()).isEmpty();
    SortedSet<VolumeKey> other = new TreeSet<>(Set.of(LOG, VolumeKey.of("app")));
    medium.crash();
    RecordStore store = LocalStore.on(medium.open());
    PendingSnapshot both =
        new PendingSnapshot(NIGHTLY.value(), new TreeMap<>(FULL), new TreeSet<>(Set.of(DB, LOG)));
    StoredCatalog.put(store, stored(store, DB).with(both));
    StoredCatalog.put(
        store,
        stored(store, LOG).with(new PendingSnapshot(NIGHTLY.value(), new TreeMap<>(FULL), other)));
    SnapshotBackups next = restarted();

    assertThat(next.keep(DB, NIGHTLY)).isTrue();

    assertThat(next.pending()).containsOnlyKeys(LOG);
    assertThat(next.pending().get(LOG)).extracting(PendingSnapshot::group).containsExactly(other);
  }

  @Test
  void aGroupThatIsRefusedForOneOfItsVolumesIsNotOnRecordWithTheOthers() {
    SnapshotBackups backups = asDbAloneHasIt(new TreeSet<>(Set.of(DB)));
    VolumeKey app = VolumeKey.of("app");
    controller.create(
        app,
        VolumeSpec.builder(ID).use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK).build());

    ControllerException other = failure(() -> backups.cut(Set.of(app, DB), NIGHTLY, FULL));
    assertThat(other.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
    assertThat(other).hasMessageContaining("recorded with other parameters, topologies or volumes");
    assertThat(backups.pending()).containsOnlyKeys(DB);
    assertThat(plugin.journal().calls(CREATE_VOLUME_GROUP_SNAPSHOT)).isEmpty();
    controller.delete(app);
  }

  // ---- blocks

  /** Takes as many batches as it is told to. */
  private static final class Taking implements Flow.Subscriber<BlockMetadataBatch> {
    private final BlockingQueue<Object> told = new LinkedBlockingQueue<>();

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      told.add(subscription);
    }

    @Override
    public void onNext(BlockMetadataBatch batch) {
      told.add(batch);
    }

    @Override
    public void onError(Throwable failure) {
      told.add(failure);
    }

    @Override
    public void onComplete() {
      told.add("complete");
    }

    Object next() throws InterruptedException {
      Object next = told.poll(20, TimeUnit.SECONDS);
      assertThat(next).as("something within 20 s").isNotNull();
      return next;
    }
  }

  private List<SnapshotId> two(SnapshotBackups backups) {
    List<SnapshotId> ids = new ArrayList<>();
    for (String name : List.of("one", "two")) {
      SnapshotName each = SnapshotName.of(name);
      backups.cut(DB, each, Map.of());
      ids.add(backups.ready(DB, each).id());
      assertThat(backups.keep(DB, each)).isTrue();
    }
    return ids;
  }

  @Test
  void theBlocksThatChangedComeAsFastAsTheyAreTaken() throws Exception {
    List<SnapshotId> ids = two(start());
    Taking taking = new Taking();
    controller.backups().changed(ID, ids.get(0), ids.get(1), Optional.empty()).subscribe(taking);

    Flow.Subscription subscription = (Flow.Subscription) taking.next();
    assertThat(plugin.journal().calls(GET_METADATA_DELTA)).as("nothing is asked yet").isEmpty();
    subscription.request(1);
    BlockMetadataBatch batch = (BlockMetadataBatch) taking.next();
    assertThat(batch.ranges()).isNotEmpty();
    assertThat(batch.volumeCapacityBytes()).isEqualTo(1L << 30);
    subscription.request(Long.MAX_VALUE);
    Object end = taking.next();
    while (end instanceof BlockMetadataBatch) {
      end = taking.next();
    }
    assertThat(end).isEqualTo("complete");

    Taking all = new Taking();
    controller.backups().allocated(ID, ids.get(1), Optional.empty()).subscribe(all);
    ((Flow.Subscription) all.next()).request(1);
    assertThat(((BlockMetadataBatch) all.next()).ranges()).isNotEmpty();
  }

  @Test
  void aStreamThatFailsSaysSoAsTheControllerDoes() throws Exception {
    start();
    Taking taking = new Taking();
    controller
        .backups()
        .changed(ID, SnapshotId.of("none"), SnapshotId.of("other"), Optional.empty())
        .subscribe(taking);
    ((Flow.Subscription) taking.next()).request(1);
    assertThat(taking.next())
        .isInstanceOfSatisfying(
            ControllerException.class,
            failed -> {
              assertThat(failed.outcome()).isEqualTo(ChangeOutcome.REFUSED);
              assertThat(failed.status()).contains(StatusCode.NOT_FOUND);
              assertThat(failed)
                  .hasMessageContaining("the changes between the snapshots 'none' and 'other'");
            });
  }

  @Test
  void aPluginThatIsNotThereIsToldToTheSubscriber() throws Exception {
    Taking taking = new Taking();
    controller.backups().allocated(ID, SnapshotId.of("one"), Optional.empty()).subscribe(taking);
    assertThat(taking.next()).isInstanceOf(Flow.Subscription.class);
    assertThat(taking.next())
        .isInstanceOfSatisfying(
            ControllerException.class,
            failed -> assertThat(failed.code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED));
  }
}
