package io.csi4j.volume.controller;

import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.upkeep.CalledAttachments;
import io.csi4j.volume.upkeep.Drift;
import io.csi4j.volume.upkeep.DriftCheck;
import io.csi4j.volume.upkeep.HealthMonitor;
import io.csi4j.volume.upkeep.Leftover;
import io.csi4j.volume.upkeep.Reaper;
import io.csi4j.volume.upkeep.VolumeKeeper;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host looks after with a controller and a manager of its own, without a line between. */
class UpkeepOfAHostTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey SCRATCH = VolumeKey.of("scratch");
  private static final NodeName HERE = NodeName.of("n1");
  private static final NodeId NODE = NodeId.of("node-1");
  private static final AccessMode MODE = AccessMode.SINGLE_NODE_WRITER;
  private static final Reaper.Throttle AT_ONCE = () -> {};

  @TempDir private Path temp;
  private final ControllerWorld world = new ControllerWorld();
  private final MemoryStore store = new MemoryStore();
  private final ClaimBook book = new ClaimBook(store, Clock.systemUTC());
  private final List<OperatorMessage> told = new ArrayList<>();
  private FakeCsiPlugin plugin;
  private VolumeController controller;
  private ClaimCoordinator claims;

  private void open(PluginShape shape) {
    plugin = world.registered(shape.without(NodeCapability.EXPAND_VOLUME), NodeEffects.files());
    // As a node does when it tells how the plugin names it.
    try (CsiPlugin node = CsiPlugin.connect(plugin.nodeEndpoint())) {
      assertThat(node.node().getInfo().nodeId()).isEqualTo(NODE);
    }
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
            .claims(store)
            .open();
    claims = new ClaimCoordinator(book, controller.attachments(), Clock.systemUTC(), event -> {});
  }

  @AfterEach
  void close() {
    controller.close();
    world.close();
  }

  private static VolumeSpec.Builder spec() {
    return VolumeSpec.builder(ID)
        .use(MODE, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(1 << 20));
  }

  private static ClaimRequest claim(VolumeKey volume, String workload) {
    return ClaimRequest.builder(
            VolumeUse.of(volume, WorkloadId.of(workload)),
            HERE,
            new Claim.Use(MODE, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NODE)
        .build();
  }

  @Test
  void driftIsFoundAndPutRightThroughTheController() {
    open(PluginShape.full());
    CatalogVolume db = controller.create(DB, spec().build());
    CatalogVolume other = controller.create(SCRATCH, spec().build());
    ClaimGrant grant = claims.acquire(claim(DB, "web"));
    assertThat(controller.handles(ID)).isEqualTo(Map.of(db.id(), DB, other.id(), SCRATCH));
    DriftCheck check = new DriftCheck(controller, ID, store);
    assertThat(check.look(controller.handles(ID)).findings()).isEmpty();
    behindTheBack(db.id(), other);

    DriftCheck.Report report = check.look(controller.handles(ID));

    assertThat(report.findings())
        .extracting(drift -> drift.message().code())
        .containsExactlyInAnyOrder(OperatorCode.ATTACHMENT_LOST, OperatorCode.ATTACHMENT_UNKNOWN);
    DriftCheck.Repair repair = DriftCheck.Repair.by(claims, told::add);
    assertThat(check.repair(report, DriftCheck.Policy.reportOnly(), repair)).isEmpty();
    assertThat(check.repair(report, new DriftCheck.Policy(true, false), repair))
        .containsExactly(new Drift.LostAttachment(DB, db.id(), holder(grant)));
    assertThat(check.repair(report, new DriftCheck.Policy(true, true), repair))
        .containsExactly(new Drift.UnknownAttachment(SCRATCH, other.id(), NODE));
    assertThat(check.look(controller.handles(ID)).findings()).isEmpty();
    assertThat(plugin.contents().attached()).hasSize(1);
    assertThat(told).isEmpty();
    plugin.assertLawful();
  }

  @Test
  void aVolumeThatIsUsedUnderOneOfItsTwoNamesIsNotDetachedUnderTheOther() {
    open(PluginShape.full());
    CatalogVolume db = controller.create(DB, spec().build());
    ClaimGrant grant = claims.acquire(claim(DB, "web"));
    VolumeKey alias = VolumeKey.of("alias");
    DriftCheck check = new DriftCheck(controller, ID, store);
    DriftCheck.Policy policy = new DriftCheck.Policy(false, true);
    DriftCheck.Repair repair = DriftCheck.Repair.by(claims, told::add);
    DriftCheck.Report own = check.look(Map.of(db.id(), alias));
    assertThat(own.findings()).containsExactly(new Drift.UnknownAttachment(alias, db.id(), NODE));

    CatalogVolume registered =
        controller.register(
            CatalogVolume.builder(alias, db.spec(), db.id()).context(db.context()).build());
    DriftCheck.Report report = check.look(controller.handles(ID));

    assertThat(registered.id()).isEqualTo(db.id());
    assertThat(controller.handles(ID)).isEmpty();
    assertThat(report.findings()).isEmpty();
    assertThat(check.repair(report, policy, repair)).isEmpty();
    assertThat(told).isEmpty();
    // A report of a host that names the volume itself, or one from before the second name.
    assertThat(check.repair(own, policy, repair)).isEmpty();
    assertThat(told)
        .singleElement()
        .satisfies(
            message ->
                assertThat(message.line())
                    .contains("volume 'default/alias' is also recorded as 'default/db'"));
    assertThat(plugin.contents().attached()).hasSize(1);

    // The claim itself is given back as ever.
    assertThat(claims.release(grant.usage())).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(
            claims.confirmRelease(
                new NodeReceipt(
                    grant.usage(),
                    grant.epoch(),
                    HERE,
                    "boot",
                    List.of(temp),
                    NodeReceipt.Staging.GONE)))
        .isInstanceOf(ClaimProgress.Gone.class);
    assertThat(plugin.contents().attached()).isEmpty();
    plugin.assertLawful();
  }

  @Test
  void aKeeperPutsDriftRightAndTellsHowVolumesAre() {
    open(PluginShape.full());
    CatalogVolume db = controller.create(DB, spec().build());
    CatalogVolume other = controller.create(SCRATCH, spec().build());
    assertThat(claims.acquire(claim(DB, "web")).context().isEmpty()).isFalse();
    behindTheBack(db.id(), other);
    plugin.condition(other.id(), new VolumeCondition(true, "one disk of two is gone"));
    Queue<OperatorCode> found = new ConcurrentLinkedQueue<>();
    Queue<String> health = new ConcurrentLinkedQueue<>();
    try (HealthMonitor monitor =
            HealthMonitor.builder(controller)
                .listener(
                    change ->
                        health.add(change.volume() + " is " + change.finding().entry().status()))
                .timer(false)
                .open();
        VolumeKeeper keeper =
            VolumeKeeper.builder()
                .comparing(
                    controller,
                    store,
                    new DriftCheck.Policy(true, true),
                    DriftCheck.Repair.by(claims, told::add),
                    drift -> found.add(drift.message().code()))
                .watching(monitor)
                .open()) {
      List<VolumeKeeper.Round> rounds = keeper.keepNow();

      assertThat(rounds)
          .extracting(VolumeKeeper.Round::chore, VolumeKeeper.Round::failure)
          .containsExactly(tuple("compare", Optional.empty()), tuple("health", Optional.empty()));
      assertThat(rounds.get(0).done()).isEqualTo("3 differences were found, and 2 repaired");
      assertThat(found)
          .containsExactlyInAnyOrder(
              OperatorCode.ATTACHMENT_LOST,
              OperatorCode.ATTACHMENT_UNKNOWN,
              OperatorCode.VOLUME_ABNORMAL);
      // The listener is told on a thread of its own.
      Waits.until(() -> !health.isEmpty());
      assertThat(health).containsExactly("default/scratch is DEGRADED");
      assertThat(plugin.contents().attached()).hasSize(1);
      assertThat(keeper.keepNow().get(0).done())
          .isEqualTo("1 difference was found, and 0 repaired");
    }
    plugin.assertLawful();
  }

  @Test
  void aPluginThatCannotBeAskedKeepsAKeeperFromNoOther() {
    open(PluginShape.full());
    CatalogVolume db = controller.create(DB, spec().build());
    assertThat(claims.acquire(claim(DB, "web")).context().isEmpty()).isFalse();
    PluginId away = PluginId.of("a-plugin-that-is-away");
    controller.close();
    RecordStore catalog = new MemoryStore();
    VolumeSpec of = VolumeSpec.builder(away).use(MODE, AttachmentMode.FILESYSTEM).build();
    StoredCatalog.put(
        catalog,
        CatalogEntry.of(
            CatalogVolume.builder(SCRATCH, of, VolumeId.of("v")).build(), Optional.empty()));
    StoredCatalog.put(catalog, CatalogEntry.of(db, Optional.empty()));
    controller = VolumeController.builder(world.registry(), catalog).claims(store).open();
    try (CsiPlugin admin = CsiPlugin.connect(plugin.endpoint())) {
      admin
          .controller()
          .unpublishVolume(ControllerUnpublishVolumeRequest.builder(db.id(), NODE).build());
    }
    Queue<OperatorCode> found = new ConcurrentLinkedQueue<>();
    try (VolumeKeeper keeper =
        VolumeKeeper.builder()
            .comparing(
                controller,
                store,
                DriftCheck.Policy.reportOnly(),
                DriftCheck.Repair.by(claims, told::add),
                drift -> found.add(drift.message().code()))
            .open()) {
      VolumeKeeper.Round round = keeper.keepNow().get(0);

      assertThat(round.failure().orElseThrow()).contains("a-plugin-that-is-away");
      assertThat(found).containsExactly(OperatorCode.ATTACHMENT_LOST);
    }
  }

  @Test
  void aKeeperTellsOnceOfAVolumeThatTwoRecordsHave() {
    open(PluginShape.full());
    CatalogVolume db = controller.create(DB, spec().build());
    CatalogVolume other = controller.create(SCRATCH, spec().build());
    VolumeKey alias = VolumeKey.of("alias");
    assertThat(
            controller.register(
                CatalogVolume.builder(alias, db.spec(), db.id()).context(db.context()).build()))
        .extracting(CatalogVolume::id)
        .isEqualTo(db.id())
        .isNotEqualTo(other.id());
    try (VolumeKeeper keeper =
        VolumeKeeper.builder()
            .comparing(
                controller,
                store,
                DriftCheck.Policy.reportOnly(),
                DriftCheck.Repair.by(claims, told::add),
                drift -> {})
            .open()) {
      assertThat(keeper.keepNow().get(0).done())
          .isEqualTo(
              "0 differences were found, and 0 repaired; volume '"
                  + db.id()
                  + "' of plugin '"
                  + ID
                  + "' is recorded as 'default/alias' and 'default/db', and was not compared");
    }
  }

  @Test
  void aVolumeThatCannotBeReadKeepsAKeeperFromNoOther() {
    open(PluginShape.full().without(ControllerCapability.LIST_VOLUMES));
    CatalogVolume db = controller.create(DB, spec().build());
    CatalogVolume other = controller.create(SCRATCH, spec().build());
    assertThat(claims.acquire(claim(SCRATCH, "web")).context().isEmpty()).isFalse();
    behindTheBack(other.id(), db);
    plugin.inject(
        Fault.fail(StatusCode.INTERNAL, "broken"),
        When.calling(CsiOperation.CONTROLLER_GET_VOLUME).ofVolume(db.id()));
    Queue<OperatorCode> found = new ConcurrentLinkedQueue<>();
    try (VolumeKeeper keeper =
        VolumeKeeper.builder()
            .comparing(
                controller,
                store,
                new DriftCheck.Policy(true, true),
                DriftCheck.Repair.by(claims, told::add),
                drift -> found.add(drift.message().code()))
            .open()) {
      VolumeKeeper.Round round = keeper.keepNow().get(0);

      assertThat(round.failure().orElseThrow()).contains(db.id().value()).contains("broken");
      assertThat(found).containsExactly(OperatorCode.ATTACHMENT_LOST);
      assertThat(plugin.contents().attached()).hasSize(2);
    }
  }

  private ClaimHolder holder(ClaimGrant grant) {
    return book.read(DB).holder(grant.usage().workload()).orElseThrow();
  }

  /** What a person does with the tools of the storage system. */
  private void behindTheBack(VolumeId lost, CatalogVolume unknown) {
    try (CsiPlugin other = CsiPlugin.connect(plugin.endpoint())) {
      other
          .controller()
          .unpublishVolume(ControllerUnpublishVolumeRequest.builder(lost, NODE).build());
      assertThat(
              other
                  .controller()
                  .publishVolume(
                      ControllerPublishVolumeRequest.builder(
                              unknown.id(), NODE, VolumeCapability.mount(MODE))
                          .volumeContext(unknown.context())
                          .build()))
          .isNotNull();
    }
  }

  @Test
  void aVolumeThatThePluginDoesNotKnowAnyMoreIsNotThere() {
    open(PluginShape.full().without(ControllerCapability.LIST_VOLUMES));
    CatalogVolume db = controller.create(DB, spec().build());
    Function<VolumeId, Optional<VolumeEntry>> storage = CalledAttachments.read(controller, ID);
    assertThat(storage.apply(db.id()).map(VolumeEntry::volume).map(it -> it.id()))
        .contains(db.id());
    assertThat(storage.apply(VolumeId.of("never-made"))).isEmpty();

    try (CsiPlugin other = CsiPlugin.connect(plugin.endpoint())) {
      other.controller().deleteVolume(DeleteVolumeRequest.builder(db.id()).build());
    }

    assertThat(storage.apply(db.id())).isEmpty();
  }

  @Test
  void aReaperFindsWhatAManagerAndAControllerHaveLeftOver() {
    open(PluginShape.full());
    Set<VolumeUse> wanted = new HashSet<>();
    try (VolumeManager manager =
        VolumeManager.builder(temp.resolve("n1"))
            .state(MemoryMedium.create().open())
            .claims(NodeClaims.of(HERE, book::standing))
            .plugin(
                PluginBinding.builder(ID, plugin.nodeEndpoint())
                    // The plugin makes directories only, so that everybody may run this.
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build())
            .open()) {
      CatalogVolume db = controller.create(DB, spec().build());
      assertThat(controller.create(SCRATCH, spec().ephemeral(true).build()).key())
          .isEqualTo(SCRATCH);
      ClaimGrant used = claims.acquire(claim(DB, "web"));
      ClaimRequest orphan = claim(VolumeKey.of("other"), "gone");
      assertThat(book.claim(orphan).epoch()).isEqualTo(1);
      wanted.add(used.usage());
      MountedVolume mounted =
          manager.mount(
              MountRequest.builder(ID, used.usage(), db.id(), MODE)
                  .volumeContext(db.context())
                  .claim(used)
                  .build());
      assertThat(mounted.usage()).isEqualTo(used.usage());
      Reaper reaper =
          new Reaper(
              book,
              Reaper.Sources.of(claims)
                  .with(Reaper.Sources.Node.of(HERE, manager::receipt, wanted::contains))
                  .with(
                      Reaper.Sources.Plugins.of(
                          manager.plugins(),
                          id -> manager.volumes().stream().anyMatch(it -> it.plugin().equals(id)),
                          manager::deregister))
                  .with(Reaper.Sources.Ephemeral.of(controller, DB::equals)),
              Clock.systemUTC(),
              told::add);

      assertThat(reaper.apply(reaper.plan(), AT_ONCE))
          .allMatch(reaped -> reaped.end() == Reaper.Result.End.DONE)
          .extracting(Reaper.Result::item)
          .hasSize(2)
          .hasOnlyElementsOfTypes(Leftover.OrphanedClaim.class, Leftover.EphemeralVolume.class);

      assertThat(book.read(orphan.usage().volume()).holders()).isEmpty();
      assertThat(controller.record(SCRATCH)).isEmpty();
      assertThat(manager.hasMount(used.usage())).isTrue();
      assertThat(reaper.plan()).isEmpty();

      // The use is over: its claim is given back with the receipt, and the plugin is not needed.
      wanted.clear();
      assertThat(manager.unmount(used.usage())).isEqualTo(UnmountOutcome.LAST);
      assertThat(reaper.apply(reaper.plan(), AT_ONCE))
          .allMatch(reaped -> reaped.end() == Reaper.Result.End.DONE)
          .extracting(Reaper.Result::item)
          .hasSize(2)
          .hasOnlyElementsOfTypes(Leftover.OrphanedClaim.class, Leftover.UnusedPlugin.class);
      assertThat(manager.plugins().plugins()).isEmpty();
      assertThat(book.read(DB).holders()).isEmpty();
    }
  }
}
