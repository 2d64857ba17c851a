package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimProgress.Gone;
import io.csi4j.volume.claim.ClaimProgress.WaitsForNode;
import io.csi4j.volume.claim.ClaimProgress.WaitsForStorage;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.workload.ResolvedVolume;
import io.csi4j.volume.workload.VolumeRequest;
import io.csi4j.volume.workload.WorkloadVolumes;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims on a real socket, with a node that does its part there; the referee judges every test. */
class ClaimsOnSocketsTest {

  private static final Clock CLOCK = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeUse WEB = VolumeUse.of(DB, WorkloadId.of("web"));
  private static final NodeName NODE = NodeName.of("n1");
  private static final PluginPath STAGED = PluginPath.of("/staged");
  private static final PluginPath TARGET = PluginPath.of("/target");
  private static final VolumeCapability MOUNT =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);

  private final ControllerWorld world = new ControllerWorld();
  private final MemoryMedium medium = MemoryMedium.create();
  private final MemoryStore store = new MemoryStore();
  private @Nullable FakeCsiPlugin plugin;
  private @Nullable VolumeController controller;
  private NodeId nodeId = NodeId.of("unknown");

  /** A plugin, a controller that knows it, and a node that has asked it who it is. */
  private void start(PluginShape shape) {
    start(shape, NodeEffects.none());
  }

  private void start(PluginShape shape, NodeEffects effects) {
    plugin = world.registered(shape, effects);
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
            .claims(store)
            .secrets(name -> operation -> Secrets.of(Map.of("key-of-" + name, "s3cr3t")))
            .settings(
                ControllerSettings.builder()
                    .policy(policy -> policy.attempts(1).attemptDeadline(Duration.ofSeconds(20)))
                    .build())
            .open();
    try (CsiPlugin node = CsiPlugin.connect(plugin().nodeEndpoint())) {
      nodeId = node.node().getInfo().nodeId();
    }
  }

  private FakeCsiPlugin plugin() {
    return Objects.requireNonNull(plugin);
  }

  private VolumeController controller() {
    return Objects.requireNonNull(controller);
  }

  /** Another process each time: nothing is remembered but in the store. */
  private ClaimCoordinator claims() {
    return new ClaimCoordinator(
        new ClaimBook(store, CLOCK), controller().attachments(), CLOCK, ClaimEvent.Listener.none());
  }

  private CatalogVolume create(VolumeKey key) {
    return controller()
        .create(
            key,
            VolumeSpec.builder(ID)
                .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                .capacity(CapacityRange.atLeast(1 << 20))
                .secrets(SecretsReference.of("prod"))
                .build());
  }

  private ClaimRequest wish(VolumeUse usage) {
    return ClaimRequest.builder(
            usage,
            NODE,
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(nodeId)
        .build();
  }

  /** The node's part of a grant, and what it proves then. */
  private NodeReceipt used(ClaimGrant grant, CatalogVolume volume) {
    try (CsiPlugin node = CsiPlugin.connect(plugin().nodeEndpoint())) {
      node.node()
          .stageVolume(
              NodeStageVolumeRequest.builder(volume.id(), STAGED, MOUNT)
                  .volumeContext(volume.context())
                  .publishContext(grant.context())
                  .secrets(Secrets.of(Map.of("key-of-prod", "s3cr3t")))
                  .build());
      node.node()
          .publishVolume(
              NodePublishVolumeRequest.builder(volume.id(), TARGET, MOUNT)
                  .stagingTargetPath(STAGED)
                  .volumeContext(volume.context())
                  .publishContext(grant.context())
                  .secrets(Secrets.of(Map.of("key-of-prod", "s3cr3t")))
                  .build());
      assertThat(claims().release(grant.usage())).isInstanceOf(WaitsForNode.class);
      node.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(volume.id(), TARGET).build());
      node.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), STAGED).build());
    }
    return receipt(grant.usage(), grant.epoch());
  }

  private static NodeReceipt receipt(VolumeUse usage, long epoch) {
    return new NodeReceipt(
        usage, epoch, NODE, "b1", List.of(Path.of("/t")), NodeReceipt.Staging.GONE);
  }

  private static ClaimException failure(Runnable work) {
    return catchThrowableOfType(ClaimException.class, work::run);
  }

  @AfterEach
  void nothingIsLeftAndNoDutyWasBroken() {
    controller().close();
    plugin().assertLawful();
    world.close();
    Waits.until(() -> ControllerWorld.threads("csi4j-volume-connect").isEmpty());
  }

  /** The ways in which a host hands a claim to its node. */
  enum Way {
    /** One request to the manager. */
    REQUEST {
      @Override
      List<MountedVolume> mount(VolumeManager manager, CatalogVolume volume, ClaimGrant grant) {
        return List.of(
            manager.mount(
                MountRequest.builder(
                        volume, WEB.workload(), modeOf(volume), AttachmentMode.FILESYSTEM)
                    .claim(grant)
                    .build()));
      }
    },
    /** All volumes of a workload, as a job asks for them. */
    JOB {
      @Override
      List<MountedVolume> mount(VolumeManager manager, CatalogVolume volume, ClaimGrant grant) {
        ResolvedVolume.Csi known = ResolvedVolume.csi(volume, SecretsProvider.none());
        return WorkloadVolumes.builder(WEB.workload(), (asked, source) -> Optional.of(known))
            .volume(
                VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
                    .accessMode(modeOf(volume))
                    .attachment(AttachmentMode.FILESYSTEM)
                    .build())
            .build()
            .claimed(List.of(grant))
            .mountAll(manager);
      }
    };

    abstract List<MountedVolume> mount(
        VolumeManager manager, CatalogVolume volume, ClaimGrant grant);

    private static AccessMode modeOf(CatalogVolume volume) {
      return volume.spec().capabilities().iterator().next().accessMode();
    }
  }

  /** Mounts what was claimed and gives it back, and returns what the node was told. */
  private List<OperatorMessage> used(
      Way way, CatalogVolume volume, ClaimGrant grant, Path directory) {
    List<OperatorMessage> told = new CopyOnWriteArrayList<>();
    try (VolumeManager manager =
        VolumeManager.builder(directory)
            .state(MemoryMedium.create().open())
            .claims(NodeClaims.of(NODE, new ClaimBook(store, CLOCK)::standing))
            .listener(
                event -> {
                  // The fake has another name than its plugin is registered under.
                  if (event instanceof VolumeEvent.Noticed noticed
                      && noticed.message().code() != OperatorCode.PLUGIN_NAME_DIFFERS) {
                    told.add(noticed.message());
                  }
                })
            .plugin(
                PluginBinding.builder(ID, plugin().nodeEndpoint())
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build())
            .open()) {
      assertThat(way.mount(manager, volume, grant)).hasSize(1);
      assertThat(claims().release(WEB)).isInstanceOf(WaitsForNode.class);
      assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(claims().confirmRelease(manager.receipt(WEB, grant.epoch())))
          .isEqualTo(new Gone(WEB));
    }
    return told;
  }

  @ParameterizedTest
  @EnumSource
  @Tag("D-27")
  void d27_oneCapabilityGoesWithEveryCallOfAClaim(Way way, @TempDir Path directory) {
    start(PluginShape.full(), NodeEffects.files());
    MountOptions ofVolume =
        MountOptions.none().withFsType("ext4").withFlags(MountFlags.of("noatime", "discard"));
    MountOptions ofRequest = MountOptions.none().withFlags(MountFlags.of("relatime"));
    CatalogVolume volume =
        controller()
            .create(
                DB,
                VolumeSpec.builder(ID)
                    .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                    .mountOptions(ofVolume)
                    .build());

    ClaimGrant grant = claims().acquire(wish(WEB).toBuilder().options(ofRequest).build());
    assertThat(claims().acquire(wish(WEB).toBuilder().options(ofRequest).build())).isEqualTo(grant);
    assertThat(failure(() -> claims().acquire(wish(WEB))).code())
        .isEqualTo(OperatorCode.CLAIM_OTHER_USE);
    assertThat(used(way, volume, grant, directory)).isEmpty();

    VolumeCapability expected =
        VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, ofVolume.overlaidWith(ofRequest));
    for (CsiOperation operation :
        List.of(CONTROLLER_PUBLISH_VOLUME, NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME)) {
      assertThat(plugin().journal().lastCapability(operation))
          .as("%s", operation)
          .contains(expected);
    }
  }

  /** Which of the two services knows the newer modes, and what each of them is asked for then. */
  @ParameterizedTest
  @Tag("D-61")
  @CsvSource({
    "true, true, SINGLE_NODE_SINGLE_WRITER, SINGLE_NODE_SINGLE_WRITER",
    "false, false, SINGLE_NODE_WRITER, SINGLE_NODE_WRITER",
    "false, true, SINGLE_NODE_WRITER, SINGLE_NODE_WRITER",
    "true, false, SINGLE_NODE_SINGLE_WRITER, SINGLE_NODE_WRITER",
  })
  void d61_aVolumeIsMadeAttachedAndMountedUnderOneModeAndThatIsToldOnce(
      boolean controllerKnows,
      boolean nodeKnows,
      AccessMode toController,
      AccessMode toNode,
      @TempDir Path directory) {
    PluginShape shape = PluginShape.full();
    if (!controllerKnows) {
      shape = shape.without(ControllerCapability.SINGLE_NODE_MULTI_WRITER);
    }
    if (!nodeKnows) {
      shape = shape.without(NodeCapability.SINGLE_NODE_MULTI_WRITER);
    }
    start(shape, NodeEffects.files());
    AccessMode mode = AccessMode.SINGLE_NODE_SINGLE_WRITER;
    CatalogVolume volume =
        controller()
            .create(DB, VolumeSpec.builder(ID).use(mode, AttachmentMode.FILESYSTEM).build());
    ClaimRequest request =
        ClaimRequest.builder(
                WEB, NODE, new Claim.Use(mode, AttachmentMode.FILESYSTEM), ClaimMode.WRITE)
            .nodeId(nodeId)
            .build();
    // Only a node service that knows less than its controller is asked for what nobody was told.
    List<OperatorCode> replaced =
        toController == toNode ? List.of() : List.of(OperatorCode.ACCESS_MODE_REPLACED);
    for (Way way : Way.values()) {
      plugin().journal().clear();
      List<OperatorMessage> told =
          used(way, volume, claims().acquire(request), directory.resolve(way.name()));

      assertThat(plugin().journal().lastCapability(CONTROLLER_PUBLISH_VOLUME))
          .map(VolumeCapability::accessMode)
          .contains(toController);
      for (CsiOperation operation : List.of(NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME)) {
        assertThat(plugin().journal().lastCapability(operation))
            .as("%s of a %s", operation, way)
            .map(VolumeCapability::accessMode)
            .contains(toNode);
      }
      assertThat(told)
          .as("told by the manager of a %s", way)
          .extracting(OperatorMessage::code)
          .filteredOn(code -> code == OperatorCode.ACCESS_MODE_REPLACED)
          .isEqualTo(replaced);
    }
  }

  @Test
  void whatWasAttachedIsDetachedThoughThePluginDoesNotOfferItAnyMore() {
    start(PluginShape.full());
    create(DB);
    ClaimGrant grant = claims().acquire(wish(WEB));
    plugin().upgrade(PluginShape.full().without(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME));
    assertThat(claims().release(WEB)).isInstanceOf(WaitsForNode.class);

    ClaimProgress waits = claims().confirmRelease(receipt(WEB, grant.epoch()));

    assertThat(plugin().journal().calls(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(1);
    assertThat(waits).isInstanceOf(ClaimProgress.WaitsForStorage.class);
    assertThat(((ClaimProgress.WaitsForStorage) waits).message().code())
        .isEqualTo(OperatorCode.DETACH_FAILED);
    plugin().upgrade(PluginShape.full());
    assertThat(claims().resume(WEB)).isEqualTo(new Gone(WEB));
  }

  @Test
  @Tag("S-155")
  void aVolumeThatIsNotThereOrCannotBeAttachedIsNotClaimed() {
    start(PluginShape.full());
    ClaimRequest wish = wish(WEB);
    assertThat(whyNot(wish)).isEqualTo(OperatorCode.VOLUME_UNKNOWN);
    assertThat(store.read(ClaimCodec.key(DB))).as("nothing is written").isEmpty();

    CatalogVolume volume = create(DB);
    world.only().report(ControllerWorld.health(State.UNHEALTHY, Reason.NOBODY_LISTENS));
    assertThat(whyNot(wish)).isEqualTo(OperatorCode.PLUGIN_UNHEALTHY);
    world.only().report(ControllerWorld.ready());
    ClaimGrant grant = asking().acquire(wish);
    assertThat(asking().acquire(wish)).isEqualTo(grant);
    assertThat(claims().confirmRelease(used(grant, volume))).isEqualTo(new Gone(WEB));

    plugin().inject(Fault.fail(StatusCode.INTERNAL, "?"), When.calling(CsiOperation.DELETE_VOLUME));
    ControllerException undone =
        catchThrowableOfType(ControllerException.class, () -> controller().delete(DB));
    assertThat(undone.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(whyNot(wish)).isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
  }

  private OperatorCode whyNot(ClaimRequest wish) {
    ClaimException refused = failure(() -> asking().acquire(wish));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    return refused.code();
  }

  private ClaimCoordinator asking() {
    return new ClaimCoordinator(
        new ClaimBook(store, CLOCK).asking(controller()::whyNotClaimed),
        controller().attachments(),
        CLOCK,
        ClaimEvent.Listener.none());
  }

  /** With a controller that attaches, with one that does not, and without a controller. */
  @ParameterizedTest
  @ValueSource(strings = {"full", "full without attaching", "node only"})
  @Tag("D-138")
  void thePluginDecidesWhetherAClaimedVolumeIsAttached(String kind) {
    start(
        switch (kind) {
          case "full" -> PluginShape.full();
          case "node only" -> PluginShape.nodeOnly();
          default -> PluginShape.full().without(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        });
    if (kind.equals("node only")) {
      VolumeId handle = VolumeId.of("vol-1");
      plugin().addVolume(handle);
      VolumeSpec spec =
          VolumeSpec.builder(ID)
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .build();
      assertThat(controller().register(CatalogVolume.builder(DB, spec, handle).build()).id())
          .isEqualTo(handle);
    } else {
      create(DB);
    }
    ClaimRequest unnamed =
        ClaimRequest.builder(
                WEB,
                NODE,
                new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .build();
    assertThat(controller().attaches(ID)).isEqualTo(kind.equals("full"));
    if (kind.equals("full")) {
      ClaimException refused = failure(() -> claims().acquire(unnamed));
      assertThat(refused.code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
      assertThat(refused).hasMessageContaining("the claim lacks the node id of node 'n1'");
      assertThat(store.read(ClaimCodec.key(DB))).as("nothing is written").isEmpty();
    } else {
      assertThat(claims().acquire(unnamed).context().isEmpty()).isTrue();
    }
    assertThat(plugin().journal().calls(CONTROLLER_PUBLISH_VOLUME)).isEmpty();
  }

  /** With a controller that attaches, and with one that does not. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aVolumeIsNotClaimedForAUseThatItWasNotMadeFor(boolean attaches) {
    start(
        attaches
            ? PluginShape.full()
            : PluginShape.full().without(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME));
    AccessMode reading = AccessMode.MULTI_NODE_READER_ONLY;
    CatalogVolume volume =
        controller()
            .create(
                DB,
                VolumeSpec.builder(ID)
                    .use(reading, AttachmentMode.FILESYSTEM)
                    .use(reading, AttachmentMode.BLOCK)
                    .build());
    assertThat(volume.key()).isEqualTo(DB);

    for (ClaimCoordinator each : List.of(claims(), asking())) {
      ClaimException refused = failure(() -> each.acquire(wish(WEB)));
      assertThat(refused.code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
      assertThat(refused.operatorMessage().seen().text())
          .isEqualTo(
              "it cannot be used as SINGLE_NODE_WRITER; it may be used as MULTI_NODE_READER_ONLY or"
                  + " MULTI_NODE_READER_ONLY as a block device");
    }
    assertThat(store.read(ClaimCodec.key(DB))).as("nothing is written").isEmpty();
    assertThat(plugin().journal().calls(CONTROLLER_PUBLISH_VOLUME)).isEmpty();
    ClaimRequest reader =
        ClaimRequest.builder(
                WEB, NODE, new Claim.Use(reading, AttachmentMode.FILESYSTEM), ClaimMode.READ)
            .nodeId(nodeId)
            .build();
    assertThat(claims().acquire(reader).mode()).isEqualTo(ClaimMode.READ);
  }

  @Test
  void aClaimThatItsPluginRefusesToAttachIsGivenBackAndTheNextOneIsServed() {
    start(PluginShape.full());
    CatalogVolume volume = create(DB);
    plugin()
        .inject(
            Fault.fail(StatusCode.PERMISSION_DENIED, "no"),
            When.calling(CONTROLLER_PUBLISH_VOLUME).once());

    ClaimException refused = failure(() -> claims().acquire(wish(WEB)));

    assertThat(refused.code()).isEqualTo(OperatorCode.ATTACH_REFUSED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(StoredClaims.in(store).claim(DB).holders()).isEmpty();
    assertThat(plugin().journal().calls(CONTROLLER_UNPUBLISH_VOLUME)).isEmpty();
    VolumeUse job = VolumeUse.of(DB, WorkloadId.of("job"));
    ClaimGrant grant = claims().acquire(wish(job));
    assertThat(claims().confirmRelease(used(grant, volume))).isEqualTo(new Gone(job));
  }

  @Test
  void aVolumeIsAttachedUsedAndDetachedInOrder() {
    start(PluginShape.full());
    CatalogVolume volume = create(DB);

    ClaimGrant grant = claims().acquire(wish(WEB));
    assertThat(plugin().contents().attached())
        .containsExactly(new PluginContents.Attached(volume.id(), nodeId));
    NodeReceipt receipt = used(grant, volume);

    assertThat(claims().confirmRelease(receipt)).isEqualTo(new Gone(WEB));
    assertThat(plugin().contents().idle()).isTrue();
    assertThat(plugin().journal().calls(CONTROLLER_PUBLISH_VOLUME).get(0).request().map("secrets"))
        .isEqualTo(
            plugin().journal().calls(CONTROLLER_UNPUBLISH_VOLUME).get(0).request().map("secrets"))
        .containsOnlyKeys("key-of-prod");
  }

  @Test
  void aPluginThatAttachesNothingIsNotAsked() {
    start(PluginShape.noAttach());
    CatalogVolume volume = create(DB);

    ClaimGrant grant = claims().acquire(wish(WEB));

    assertThat(claims().confirmRelease(used(grant, volume))).isEqualTo(new Gone(WEB));
    assertThat(plugin().journal().calls(CONTROLLER_PUBLISH_VOLUME)).isEmpty();
    assertThat(plugin().journal().calls(CONTROLLER_UNPUBLISH_VOLUME)).isEmpty();
  }

  @Test
  @Tag("A3")
  void anAttachingWhoseAnswerIsLostIsUndoneOnTheWayBack() {
    start(PluginShape.full());
    create(DB);
    plugin()
        .inject(
            Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "late"),
            When.calling(CONTROLLER_PUBLISH_VOLUME).times(1));

    ClaimException failure = failure(() -> claims().acquire(wish(WEB)));

    assertThat(failure.code()).isEqualTo(OperatorCode.ATTACH_FAILED);
    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(plugin().contents().attached()).hasSize(1);
    assertThat(claims().release(WEB)).isInstanceOf(WaitsForNode.class);
    assertThat(claims().confirmRelease(receipt(WEB, 1))).isEqualTo(new Gone(WEB));
    assertThat(plugin().contents().attached())
        .as("A3: the attach whose answer was lost is undone")
        .isEmpty();
  }

  @Test
  void aDetachingWhoseAnswerIsLostIsGoneOnWithByTheNextProcess() {
    start(PluginShape.full());
    CatalogVolume volume = create(DB);
    NodeReceipt receipt = used(claims().acquire(wish(WEB)), volume);
    plugin()
        .inject(
            Fault.applyThenFail(StatusCode.UNAVAILABLE, "gone"),
            When.calling(CONTROLLER_UNPUBLISH_VOLUME).times(1));

    assertThat(claims().confirmRelease(receipt))
        .isInstanceOfSatisfying(
            WaitsForStorage.class,
            it -> assertThat(it.message().code()).isEqualTo(OperatorCode.DETACH_FAILED));

    assertThat(claims().resume()).containsExactly(new Gone(WEB));
    assertThat(plugin().journal().calls(CONTROLLER_UNPUBLISH_VOLUME)).hasSize(2);
  }

  @Test
  @Tag("D-47")
  void aStorageSystemWithoutRoomIsToldAndTheClaimCanBeGivenBack() {
    start(PluginShape.full());
    create(DB);
    plugin()
        .inject(
            Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no slot"),
            When.calling(CONTROLLER_PUBLISH_VOLUME).times(1));

    ClaimException failure = failure(() -> claims().acquire(wish(WEB)));

    assertThat(failure.code()).isEqualTo(OperatorCode.CLAIM_EXHAUSTED);
    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(failure.operatorMessage().seen().text()).contains("no slot");
    assertThat(StoredClaims.in(store).claim(DB).exhaustedUntil())
        .contains(Instant.EPOCH.plusSeconds(5));
    assertThat(claims().release(WEB)).isInstanceOf(WaitsForNode.class);
    assertThat(claims().confirmRelease(receipt(WEB, 1))).isEqualTo(new Gone(WEB));
  }

  @Test
  void anAttachWhoseAnswerIsTooLargeIsToldAsThatAndNotAsStorageWithoutRoom() {
    start(PluginShape.full());
    create(DB);
    plugin()
        .inject(
            Fault.answer(Fault.WrongAnswer.OVERSIZED),
            When.calling(CONTROLLER_PUBLISH_VOLUME).once());

    ClaimException failure = failure(() -> claims().acquire(wish(WEB)));

    assertThat(failure.code()).isEqualTo(OperatorCode.ATTACH_FAILED);
    assertThat(failure.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failure.operatorMessage().seen().text()).contains("the answer is larger than");
    assertThat(StoredClaims.in(store).claim(DB).exhaustedUntil()).isEmpty();
    assertThat(claims().release(WEB)).isInstanceOf(WaitsForNode.class);
    assertThat(claims().confirmRelease(receipt(WEB, 1))).isEqualTo(new Gone(WEB));
    assertThat(plugin().journal().calls(CONTROLLER_UNPUBLISH_VOLUME)).hasSize(1);
  }

  @Test
  void whatIsAttachedWithoutAClaimIsToldAndNothingIsTaken() {
    start(PluginShape.full());
    create(DB);
    plugin()
        .inject(
            Fault.fail(StatusCode.FAILED_PRECONDITION, "attached to i-7"),
            When.calling(CONTROLLER_PUBLISH_VOLUME).times(1));

    ClaimException failure = failure(() -> claims().acquire(wish(WEB)));

    assertThat(failure.code()).isEqualTo(OperatorCode.ATTACHED_ELSEWHERE);
    assertThat(failure.operatorMessage().seen().text())
        .contains("attached to i-7", "no other workload has a claim of it");
    assertThat(claims().release(WEB)).isInstanceOf(WaitsForNode.class);
    assertThat(claims().confirmRelease(receipt(WEB, 1))).isEqualTo(new Gone(WEB));
  }

  @Test
  void aVolumeThatIsNotOnRecordIsNeitherClaimedNorTakenForDetached() {
    start(PluginShape.full());
    CatalogVolume volume = create(DB);
    VolumeUse ghost = VolumeUse.of(VolumeKey.of("ghost"), WorkloadId.of("web"));
    assertThat(failure(() -> claims().acquire(wish(ghost))).code())
        .isEqualTo(OperatorCode.VOLUME_UNKNOWN);
    assertThat(store.read(ClaimCodec.key(ghost.volume()))).isEmpty();

    ClaimGrant grant = claims().acquire(wish(WEB));
    assertThat(
            controller()
                .deregister(DB, new ClaimOverride.Person("ada"), new ReasonText("it was moved")))
        .isTrue();
    assertThat(claims().acquire(wish(WEB))).as("a claim that is there").isEqualTo(grant);
    assertThat(claims().release(WEB)).isInstanceOf(WaitsForNode.class);
    assertThat(claims().confirmRelease(receipt(WEB, grant.epoch())))
        .isInstanceOfSatisfying(
            WaitsForStorage.class,
            it ->
                assertThat(it.message().seen().text())
                    .isEqualTo("volume 'default/db' is not recorded, or is being created"));
    assertThat(plugin().journal().calls(CONTROLLER_UNPUBLISH_VOLUME)).isEmpty();
    assertThat(plugin().contents().attached())
        .containsExactly(new PluginContents.Attached(volume.id(), nodeId));
  }
}
