package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.catalog.ClusterCodec;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.upkeep.Leftover;
import io.csi4j.volume.upkeep.Reaper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster has an identity: in its store, in the names of its volumes, and as a bound. */
class ClusterIdentityTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey LOG = VolumeKey.of("log");
  private static final SnapshotName NIGHTLY = SnapshotName.of("nightly");

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered();
  private final List<RecordStore> stores = new ArrayList<>();

  /** The names that the storage system shows with its volumes. */
  private final Map<VolumeId, String> shown = new LinkedHashMap<>();

  @AfterEach
  void noDutyWasBroken() {
    plugin.assertLawful();
    world.close();
    stores.forEach(RecordStore::close);
  }

  private MemoryStore store() {
    MemoryStore made = new MemoryStore();
    stores.add(made);
    return made;
  }

  private VolumeController open(RecordStore store) {
    return VolumeController.builder(world.registry(), store).open();
  }

  private static VolumeSpec spec() {
    return spec(false);
  }

  private static VolumeSpec spec(boolean isEphemeral) {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .ephemeral(isEphemeral)
        .build();
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  @Test
  void aStoreWithoutAnIdentityGetsTheFormerOneBackAndNoOtherStoreDoes() {
    MemoryStore store = store();
    ClusterIdentity former = ClusterIdentity.of("abcdefghijk27");

    assertThat(new ClusterSetup(store).create(former)).isEqualTo(former);

    assertThat(new ClusterSetup(store).identity()).contains(former);
    ControllerException exists =
        failure(() -> new ClusterSetup(store).create(ClusterIdentity.of("zyxwvutsrqp27")));
    assertThat(exists.code()).isEqualTo(OperatorCode.CLUSTER_EXISTS);
    assertThat(exists.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(new ClusterSetup(store).identity()).contains(former);
  }

  private List<String> names(CsiOperation operation) {
    return plugin.journal().calls(operation).stream()
        .map(call -> call.request().text("name"))
        .toList();
  }

  private static String name(RecordStore store, VolumeKey key) {
    return StoredCatalog.entry(store, key).flatMap(CatalogEntry::name).orElseThrow();
  }

  /** Copies all records, as a dump that is restored elsewhere does. */
  private RecordStore copied(RecordStore from, RecordStore to) {
    for (RecordKey.Space space : RecordKey.Space.values()) {
      from.scan(space, Optional.empty(), 1000)
          .records()
          .forEach(
              each ->
                  assertThat(
                          to.write(
                              new RecordWrite(
                                  each.key(), Optional.empty(), Optional.of(each.value()))))
                      .isInstanceOf(WriteResult.Written.class));
    }
    return to;
  }

  // ---- two clusters

  @Test
  void twoClustersWithEqualKeysGetTwoVolumes(@TempDir Path one, @TempDir Path two) {
    try (RecordStore first = LocalStore.open(one);
        RecordStore second = LocalStore.open(two);
        VolumeController blue = open(first);
        VolumeController green = open(second)) {
      CatalogVolume ofBlue = blue.create(DB, spec());
      CatalogVolume ofGreen = green.create(DB, spec());
      assertThat(ofGreen.id()).isNotEqualTo(ofBlue.id());

      blue.delete(DB);

      assertThat(plugin.contents().volumes()).containsExactly(ofGreen.id());
    }
  }

  @Test
  void namesOfVolumesCarryTheIdentity(@TempDir Path directory) {
    try (RecordStore store = LocalStore.open(directory)) {
      ClusterIdentity blue = new ClusterSetup(store).create();
      try (VolumeController controller = open(store)) {
        controller.create(DB, spec());

        assertThat(names(CREATE_VOLUME))
            .singleElement()
            .asString()
            .matches("csi4j-" + blue + "-[a-z2-7]{19}")
            .hasSize(39)
            .isEqualTo(name(store, DB));
      }
    }
  }

  @Test
  void snapshotsOfOneNameInTwoClustersAreTwo() {
    RecordStore first = store();
    RecordStore second = store();
    ClusterIdentity one = new ClusterSetup(first).create();
    ClusterIdentity two = new ClusterSetup(second).create();
    try (VolumeController blue = open(first);
        VolumeController green = open(second)) {
      CatalogVolume volume = blue.create(DB, spec());
      CatalogVolume same =
          green.register(
              CatalogVolume.builder(DB, spec(), volume.id()).context(volume.context()).build());
      Snapshot ofBlue = blue.createSnapshot(DB, NIGHTLY, Map.of());

      Snapshot ofGreen = green.createSnapshot(DB, NIGHTLY, Map.of());

      assertThat(ofGreen.id()).isNotEqualTo(ofBlue.id());
      assertThat(names(CREATE_SNAPSHOT))
          .containsExactly("csi4j-" + one + "-nightly", "csi4j-" + two + "-nightly");
      assertThat(blue.createSnapshot(DB, NIGHTLY, Map.of()).id()).isEqualTo(ofBlue.id());
      assertThat(same.id()).isEqualTo(volume.id());
    }
  }

  @Test
  void groupsOfSnapshotsCarryTheIdentity() {
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();
    try (VolumeController controller = open(store)) {
      controller.create(DB, spec());
      controller.create(LOG, spec());

      controller.createGroupSnapshot(Set.of(DB, LOG), NIGHTLY, Map.of());

      assertThat(names(CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT))
          .containsExactly("csi4j-" + blue + "-nightly");
    }
  }

  @Test
  void theLongestNameOfASnapshotFitsWithTheIdentity() {
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();
    String prefix = "csi4j-" + blue + "-";
    String fits = "n".repeat(128 - prefix.length());
    try (VolumeController controller = open(store)) {
      controller.create(DB, spec());

      controller.createSnapshot(DB, SnapshotName.of(fits), Map.of());
      controller.createSnapshot(DB, SnapshotName.of("é".repeat(64)), Map.of());
      controller.createSnapshot(DB, SnapshotName.of("é".repeat(63) + "ab"), Map.of());

      assertThat(names(CREATE_SNAPSHOT)).doesNotHaveDuplicates().hasSize(3);
      assertThat(names(CREATE_SNAPSHOT).get(0)).isEqualTo(prefix + fits);
      assertThat(names(CREATE_SNAPSHOT))
          .allSatisfy(
              name -> {
                assertThat(name).startsWith(prefix);
                assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(128);
              });
    }
  }

  // ---- the act

  @Test
  void openingACatalogGivesNoIdentity() {
    RecordStore store = store();
    try (VolumeController controller = open(store)) {
      controller.create(DB, spec());
    }
    assertThat(new ClusterSetup(store).identity()).isEmpty();
    assertThat(name(store, DB)).matches("csi4j-[a-z2-7]{26}");
  }

  @Test
  void anIdentityIsGivenOnce() {
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();

    ControllerException again = failure(() -> new ClusterSetup(store).create());

    assertThat(again.code()).isEqualTo(OperatorCode.CLUSTER_EXISTS);
    assertThat(again.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(again).hasMessageContaining("it belongs to cluster '" + blue + "'");
    assertThat(new ClusterSetup(store).identity()).contains(blue);
  }

  @Test
  void ofManyWhoGiveAnIdentityAtOnceOneDoes() throws Exception {
    RecordStore store = store();
    int many = 8;
    ExecutorService threads = Executors.newFixedThreadPool(many);
    CyclicBarrier begin = new CyclicBarrier(many);
    List<Future<ClusterIdentity>> acts = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      ClusterSetup setup = new ClusterSetup(store);
      acts.add(
          threads.submit(
              () -> {
                begin.await();
                return setup.create();
              }));
    }
    List<ClusterIdentity> made = new ArrayList<>();
    List<OperatorCode> refused = new ArrayList<>();
    for (Future<ClusterIdentity> act : acts) {
      try {
        made.add(act.get());
      } catch (ExecutionException failed) {
        refused.add(((ControllerException) failed.getCause()).code());
      }
    }
    threads.shutdown();

    assertThat(made).containsExactly(new ClusterSetup(store).identity().orElseThrow());
    assertThat(refused).hasSize(many - 1).containsOnly(OperatorCode.CLUSTER_EXISTS);
  }

  @Test
  void aStoreThatAcceptsNoWritesGetsNoIdentity() {
    Restored store = new Restored(store());
    store.isReadOnly = true;

    ControllerException held = failure(() -> new ClusterSetup(store).create());

    assertThat(held.code()).isEqualTo(OperatorCode.CATALOG_WENT_BACK);
    assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(new ClusterSetup(store).identity()).isEmpty();
  }

  @Test
  void anIdentityThatCannotBeReadIsNotReplaced() {
    RecordStore store = store();
    StateValue newer = StateValue.of(new byte[] {8, 9});
    assertThat(store.write(new RecordWrite(ClusterCodec.KEY, Optional.empty(), Optional.of(newer))))
        .isInstanceOf(WriteResult.Written.class);

    for (ControllerException held :
        List.of(
            failure(() -> new ClusterSetup(store).create()),
            failure(() -> new ClusterSetup(store).accept()),
            failure(() -> open(store)))) {
      assertThat(held.code()).isEqualTo(OperatorCode.CATALOG_UNREADABLE);
      assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
    }
    assertThat(store.read(ClusterCodec.KEY).orElseThrow().value()).isEqualTo(newer);
  }

  @Test
  void onlyTheCatalogOfTheExpectedClusterIsOpened() {
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();
    RecordStore other = store();
    ClusterIdentity green = new ClusterSetup(other).create();

    for (RecordStore wrong : List.of(store(), other)) {
      ControllerException held =
          failure(() -> VolumeController.builder(world.registry(), wrong).cluster(blue).open());
      assertThat(held.code()).isEqualTo(OperatorCode.CLUSTER_OTHER);
      assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(held)
          .hasMessageContaining("cluster '" + blue + "' is expected")
          .hasMessageContaining(
              wrong == other ? "belongs to cluster '" + green + "'" : "has no identity");
    }
    try (VolumeController controller =
        VolumeController.builder(world.registry(), store).cluster(blue).open()) {
      assertThat(controller.volumes()).isEmpty();
    }
  }

  // ---- a catalog of before

  @Test
  void aCatalogOfBeforeKeepsItsNames() {
    RecordStore store = store();
    try (VolumeController controller = open(store)) {
      CatalogVolume made = controller.create(DB, spec());
      plugin.inject(
          Fault.applyThenFail(StatusCode.UNAVAILABLE, "lost"), When.calling(CREATE_SNAPSHOT));
      assertThat(failure(() -> controller.createSnapshot(DB, NIGHTLY, Map.of())).outcome())
          .isEqualTo(ChangeOutcome.UNCERTAIN);
      plugin.clearFaults();
      String before = name(store, DB);

      ClusterIdentity blue = new ClusterSetup(store).create();

      assertThat(name(store, DB)).isEqualTo(before);
      assertThat(controller.create(DB, spec())).isEqualTo(made);
      controller.create(LOG, spec());
      assertThat(name(store, LOG)).startsWith("csi4j-" + blue + "-");
      // It may be there under the former name, so it is asked for under that.
      controller.createSnapshot(DB, NIGHTLY, Map.of());
      assertThat(names(CREATE_SNAPSHOT)).containsOnly("nightly");
      assertThat(plugin.contents().snapshots()).hasSize(1);
    }
  }

  @Test
  void aSnapshotOfBeforeIsDroppedUnderItsName() {
    RecordStore store = store();
    try (VolumeController controller = open(store)) {
      controller.create(DB, spec());
      plugin.inject(
          Fault.applyThenFail(StatusCode.UNAVAILABLE, "lost"), When.calling(CREATE_SNAPSHOT));
      assertThat(failure(() -> controller.createSnapshot(DB, NIGHTLY, Map.of())).outcome())
          .isEqualTo(ChangeOutcome.UNCERTAIN);
      plugin.clearFaults();
      new ClusterSetup(store).create();

      assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();

      assertThat(names(CREATE_SNAPSHOT)).containsOnly("nightly");
      assertThat(plugin.journal().calls(DELETE_SNAPSHOT)).hasSize(1);
      assertThat(plugin.contents().snapshots()).isEmpty();
    }
  }

  // ---- what a reaper may touch

  @Test
  void onlyVolumesWithTheIdentityAreReaped() {
    RecordStore store = store();
    try (VolumeController controller = open(store)) {
      CatalogVolume before = controller.create(DB, spec(true));
      assertThat(controller.ephemeral()).containsExactly(DB);
      new ClusterSetup(store).create();
      controller.create(LOG, spec(true));

      assertThat(controller.ephemeral()).containsExactly(LOG);
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      ClaimCoordinator claims =
          new ClaimCoordinator(
              book, controller.attachments(), Clock.systemUTC(), ClaimEvent.Listener.none());
      Reaper reaper =
          new Reaper(
              book,
              Reaper.Sources.of(claims).with(Reaper.Sources.Ephemeral.of(controller, key -> false)),
              Clock.systemUTC(),
              message -> {});
      List<Leftover> plan = reaper.plan();
      assertThat(plan)
          .singleElement()
          .isInstanceOfSatisfying(
              Leftover.EphemeralVolume.class, it -> assertThat(it.volume()).isEqualTo(LOG));
      assertThat(reaper.apply(plan, () -> {}))
          .extracting(Reaper.Result::end)
          .containsExactly(Reaper.Result.End.DONE);
      assertThat(controller.retainEphemeral(Set.of())).isEmpty();
      assertThat(plugin.contents().volumes()).containsExactly(before.id());

      controller.delete(DB);
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  // ---- a lost store

  /** The storage system shows names in the contexts of its list, as many do. */
  private void showNames() {
    plugin.inject(
        Fault.change(
            (request, answer) ->
                Map.of(
                    "entries",
                    shown.entrySet().stream()
                        .filter(it -> plugin.contents().volumes().contains(it.getKey()))
                        .map(
                            it ->
                                Map.of(
                                    "volume",
                                    Map.of(
                                        "volume_id",
                                        it.getKey().value(),
                                        "capacity_bytes",
                                        1L << 20,
                                        "volume_context",
                                        VolumeContext.of(Map.of("of", "pool/" + it.getValue())))))
                        .toList())),
        When.calling(LIST_VOLUMES));
  }

  private CatalogVolume make(VolumeController controller, RecordStore store, VolumeKey key) {
    CatalogVolume made = controller.create(key, spec(true));
    shown.put(made.id(), name(store, key));
    return made;
  }

  private static CatalogVolume found(VolumeKey key, VolumeId id) {
    return CatalogVolume.builder(key, spec(true), id).origin(CatalogVolume.Origin.CREATED).build();
  }

  private static List<VolumeId> ids(List<VolumeEntry> entries) {
    return entries.stream().map(each -> each.volume().id()).toList();
  }

  @Test
  void volumesOfALostStoreAreListedAndAdoptedAndNeverReaped() {
    showNames();
    RecordStore lost = store();
    ClusterIdentity former = new ClusterSetup(lost).create();
    CatalogVolume db;
    CatalogVolume log;
    try (VolumeController controller = open(lost)) {
      db = make(controller, lost, DB);
      log = make(controller, lost, LOG);
      assertThat(controller.unknownVolumes(ID, former)).isEmpty();
    }
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();
    try (VolumeController controller = open(store)) {
      make(controller, store, VolumeKey.of("new"));

      assertThat(ids(controller.unknownVolumes(ID, former)))
          .containsExactlyInAnyOrder(db.id(), log.id());
      assertThat(controller.unknownVolumes(ID, blue)).isEmpty();

      CatalogVolume adopted =
          controller.adopt(former, found(DB, db.id()).toBuilder().context(db.context()).build());
      assertThat(adopted.context()).isEqualTo(db.context());
      assertThat(name(store, DB)).isEqualTo(shown.get(db.id()));
      assertThat(controller.adopt(former, found(DB, db.id()))).isEqualTo(adopted);
      assertThat(ids(controller.unknownVolumes(ID, former))).containsExactly(log.id());

      assertThat(controller.retainEphemeral(Set.of())).isEmpty();
      assertThat(plugin.contents().volumes()).containsExactlyInAnyOrder(db.id(), log.id());

      controller.delete(DB);
      assertThat(plugin.contents().volumes()).containsExactly(log.id());
    }
  }

  @Test
  void anAdoptedVolumeHasTheContextAndSizeThatThePluginLists() {
    RecordStore store = store();
    ClusterIdentity former = ClusterIdentity.of("abcdefghijk27");
    String made = "csi4j-" + former + "-abcdefghijklmnopqrs";
    VolumeId id = VolumeId.of("pool#" + made);
    VolumeContext context = VolumeContext.of(Map.of("pool", "fast"));
    plugin.addVolume(id, CapacityRange.atLeast(3L << 20), context);
    plugin.addVolume(VolumeId.of("pool#csi4j-" + former + "-tooshort"));
    plugin.addVolume(VolumeId.of("pool#" + made + "t"));
    try (VolumeController controller = open(store)) {
      assertThat(ids(controller.unknownVolumes(ID, former))).containsExactly(id);

      CatalogVolume adopted = controller.adopt(former, found(DB, id));

      assertThat(adopted.context()).isEqualTo(context);
      assertThat(adopted.capacityBytes()).hasValue(3L << 20);
      assertThat(name(store, DB)).isEqualTo(made);
      assertThat(controller.adopt(former, found(DB, id))).isEqualTo(adopted);
      assertThat(controller.unknownVolumes(ID, former)).isEmpty();
      assertThat(controller.ephemeral()).isEmpty();
    }
  }

  @Test
  void onlyAnUnknownVolumeOfTheClusterIsAdopted() {
    showNames();
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();
    try (VolumeController controller = open(store)) {
      CatalogVolume db = make(controller, store, DB);

      for (ControllerException refused :
          List.of(
              failure(() -> controller.adopt(blue, found(LOG, db.id()))),
              failure(
                  () -> controller.adopt(ClusterIdentity.of("a".repeat(13)), found(LOG, db.id()))),
              failure(
                  () ->
                      controller.adopt(
                          blue, CatalogVolume.builder(LOG, spec(), db.id()).build())))) {
        assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
        assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
      }
      ControllerException known = failure(() -> controller.adopt(blue, found(DB, db.id())));
      assertThat(known).isNull();
      assertThat(failure(() -> controller.adopt(blue, found(DB, VolumeId.of("other")))).code())
          .isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);
      assertThat(controller.find(LOG)).isEmpty();
    }
  }

  // ---- copies

  @Test
  void aCopyOfTheRecordsIsNotOpenedBeforeItIsAccepted() {
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();
    try (VolumeController controller = open(store)) {
      controller.create(DB, spec());
    }
    RecordStore copy = copied(store, store());

    ControllerException held = failure(() -> open(copy));
    assertThat(held.code()).isEqualTo(OperatorCode.CLUSTER_COPIED);
    assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(held)
        .hasMessageContaining("cluster '" + blue + "' works with store '" + store.identity() + "'")
        .hasMessageContaining("this is store '" + copy.identity() + "'");

    assertThat(new ClusterSetup(copy).accept()).isEqualTo(blue);
    try (VolumeController controller = open(copy)) {
      controller.delete(DB);
    }
    assertThat(plugin.contents().volumes()).isEmpty();
  }

  @Test
  void aStoreWithoutAnIdentityIsNotAccepted() {
    assertThat(failure(() -> new ClusterSetup(store()).accept()).code())
        .isEqualTo(OperatorCode.CLUSTER_OTHER);
  }

  /** A store that was restored from a backup: a person settles it, and it is another one then. */
  private static final class Restored extends SteppingStore {
    private volatile boolean isReadOnly;
    private volatile StoreIdentity identity;

    Restored(RecordStore store) {
      super(store, (next, write) -> write.get());
      identity = store.identity();
    }

    void settle() {
      identity = new StoreIdentity("settled");
      isReadOnly = false;
    }

    @Override
    public Optional<ReasonText> readOnly() {
      return isReadOnly ? Optional.of(new ReasonText("it is a copy")) : Optional.empty();
    }

    @Override
    public StoreIdentity identity() {
      return identity;
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      if (isReadOnly) {
        throw new RecordStoreException(RecordStoreException.Reason.IN_DOUBT, "It is a copy.");
      }
      return super.write(writes);
    }
  }

  @Test
  void aRestoredCatalogIsReadOnlyUntilAPersonHasAcceptedIt() {
    Restored store = new Restored(store());
    ClusterIdentity blue = new ClusterSetup(store).create();
    CatalogVolume db;
    try (VolumeController controller = open(store)) {
      db = controller.create(DB, spec(true));
    }
    store.isReadOnly = true;
    try (VolumeController controller =
        VolumeController.builder(world.registry(), store).cluster(blue).open()) {
      assertThat(controller.volumes()).containsExactly(db);
      for (Runnable change :
          List.<Runnable>of(
              () -> controller.create(LOG, spec()),
              () -> controller.delete(DB),
              () -> controller.createSnapshot(DB, NIGHTLY, Map.of()),
              () ->
                  controller.deleteSnapshot(
                      ControllerWorld.ID, SnapshotId.of("snap-1"), Optional.empty()))) {
        assertThat(failure(change).code()).isEqualTo(OperatorCode.CATALOG_WENT_BACK);
      }
      assertThat(failure(() -> new ClusterSetup(store).accept()).code())
          .isEqualTo(OperatorCode.CATALOG_WENT_BACK);
      assertThat(controller.retainEphemeral(Set.of())).containsExactly(DB);

      store.settle();

      for (Runnable change :
          List.<Runnable>of(
              () -> controller.register(CatalogVolume.builder(LOG, spec(), db.id()).build()),
              () -> controller.create(LOG, spec()),
              () -> controller.delete(DB),
              () -> controller.createSnapshot(DB, NIGHTLY, Map.of()),
              () ->
                  controller.deleteSnapshot(
                      ControllerWorld.ID, SnapshotId.of("snap-1"), Optional.empty()),
              () ->
                  controller.deleteGroupSnapshot(
                      ControllerWorld.ID,
                      GroupSnapshotId.of("group-1"),
                      List.of(SnapshotId.of("snap-1")),
                      Optional.empty()))) {
        ControllerException held = failure(change);
        assertThat(held.code()).isEqualTo(OperatorCode.CLUSTER_COPIED);
        assertThat(held.outcome()).isEqualTo(ChangeOutcome.HELD);
      }
      assertThat(controller.volumes()).containsExactly(db);
      assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(1);
      assertThat(plugin.journal().calls(DELETE_VOLUME)).isEmpty();
      assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).isEmpty();

      assertThat(new ClusterSetup(store).accept()).isEqualTo(blue);
      controller.delete(DB);
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  /**
   * What is copied below the store has its identity: only the storage system shows two clusters.
   */
  @Test
  void volumesOfATwinAreUnknownAndNotTouched() {
    showNames();
    RecordStore store = store();
    ClusterIdentity blue = new ClusterSetup(store).create();
    RecordStore files = copied(store, store());
    RecordStore twin =
        new SteppingStore(files, (next, write) -> write.get()) {
          @Override
          public StoreIdentity identity() {
            return store.identity();
          }
        };
    try (VolumeController controller = open(store);
        VolumeController other = open(twin)) {
      CatalogVolume made = make(other, twin, DB);

      assertThat(ids(controller.unknownVolumes(ID, blue))).containsExactly(made.id());
      assertThat(controller.retainEphemeral(Set.of())).isEmpty();
      assertThat(plugin.contents().volumes()).containsExactly(made.id());
    }
  }

  @Test
  void anIdentityHasOneForm() {
    assertThat(ClusterIdentity.of("abcdefghijk27").value()).isEqualTo("abcdefghijk27");
    for (String wrong :
        List.of("", "abcdefghijk2", "abcdefghijk277", "Abcdefghijk27", "a-cdefghijk27")) {
      assertThatThrownBy(() -> ClusterIdentity.of(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not '" + wrong + "'");
    }
  }
}
