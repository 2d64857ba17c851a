package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.GET_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.LIST_SNAPSHOTS;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Snapshots that can be used from some places only, and the volumes that are made from them. */
class PlacedSnapshotTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey COPY = VolumeKey.of("copy");
  private static final SnapshotName NIGHTLY = SnapshotName.of("nightly");
  private static final Topology A = Topology.of(Map.of("zone", "a"));
  private static final Topology B = Topology.of(Map.of("zone", "b"));
  private static final TopologyRequirement IN_B = TopologyRequirement.anyOf(List.of(B));
  private static final NodeId N1 = NodeId.of("n1");
  private static final NodeId N2 = NodeId.of("n2");
  private static final PluginShape SHAPE = PluginShape.full113().topologies(A, B);

  private final ControllerWorld world = new ControllerWorld();
  private final MemoryMedium medium = MemoryMedium.create();
  private FakeCsiPlugin plugin;
  private VolumeController controller;

  private void start(PluginShape shape) {
    plugin = FakeCsiPlugin.builder().shape(shape).nodes(N1, N2).effects(NodeEffects.none()).open();
    world.register("only", plugin.endpoint());
    tellPlaces();
    controller = open();
    assertThat(controller.create(DB, spec().build()).topologies()).containsExactly(A);
  }

  /** A caller may name a place only after a node has told it. */
  private void tellPlaces() {
    for (NodeId node : List.of(N1, N2)) {
      try (CsiPlugin connected = CsiPlugin.connect(plugin.nodeEndpoint(node))) {
        assertThat(connected.node().getInfo().accessibleTopology()).isPresent();
      }
    }
  }

  private VolumeController open() {
    return VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
        .secrets(name -> operation -> Secrets.of(Map.of("key-of-" + name, "s3cr3t")))
        .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
        .open();
  }

  private void reopen() {
    controller.close();
    medium.crash();
    controller = open();
  }

  @AfterEach
  void noDutyWasBroken() {
    controller.close();
    plugin.assertLawful();
    plugin.close();
    world.close();
  }

  private static VolumeSpec.Builder spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .secrets(SecretsReference.of("prod"));
  }

  private static VolumeSpec copyOf(Snapshot snapshot, Topology... places) {
    return spec()
        .fromSnapshot(snapshot.id())
        .topologies(TopologyRequirement.anyOf(Set.of(places)))
        .build();
  }

  private Snapshot cutInB() {
    return controller.createSnapshot(DB, NIGHTLY, Map.of(), IN_B);
  }

  private List<WireMessage> requests(CsiOperation operation) {
    return plugin.journal().calls(operation).stream().map(call -> call.request()).toList();
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  // ---- cutting

  @Test
  void aSnapshotIsCutWhereItIsAskedForAndSaysSo() {
    start(SHAPE);

    assertThat(cutInB().accessibleTopology()).containsExactly(B);

    assertThat(controller.pending()).isEmpty();
    Snapshot elsewhere = controller.createSnapshot(DB, SnapshotName.of("near"), Map.of());
    assertThat(elsewhere.accessibleTopology()).containsExactly(A);
  }

  @Test
  void theSameIsAskedWithoutBlocking() {
    start(SHAPE);

    Snapshot cut =
        controller.async().createSnapshot(DB, NIGHTLY, Map.of(), IN_B).toCompletableFuture().join();

    assertThat(cut.accessibleTopology()).containsExactly(B);
  }

  @Test
  void aPluginThatChoosesThePlaceItselfIsNotAsked() {
    start(SHAPE.without(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS));

    ControllerException refused = failure(this::cutInB);

    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_NOT_OFFERED);
    assertThat(refused)
        .hasMessageContaining("creating snapshot 'nightly' of plugin 'fake'")
        .hasMessageContaining("zone=b")
        .hasMessageContaining("does not offer SNAPSHOT_ACCESSIBILITY_CONSTRAINTS");
    assertThat(requests(CREATE_SNAPSHOT)).isEmpty();
    assertThat(controller.pending()).isEmpty();
    assertThat(controller.createSnapshot(DB, NIGHTLY, Map.of()).readyToUse()).isTrue();
  }

  @Test
  void aSnapshotWhoseFateACrashLeftOpenIsFoundByTheSameRequest() {
    start(SHAPE);
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "?"), When.calling(CREATE_SNAPSHOT).once());
    assertThat(failure(this::cutInB).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);

    reopen();

    assertThat(controller.pending()).containsExactly(DB);
    assertThat(controller.record(DB).orElseThrow().pendingSnapshots())
        .singleElement()
        .satisfies(cut -> assertThat(cut.places()).contains(TopologyRequirement.anyOf(Set.of(B))));
    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();
    assertThat(requests(CREATE_SNAPSHOT)).hasSize(2);
    assertThat(requests(CREATE_SNAPSHOT).stream().distinct()).hasSize(1);
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(controller.pending()).isEmpty();
  }

  @Test
  void aSnapshotIsDroppedAlsoWhereThePluginTakesNoPlacesAnyMore() {
    start(SHAPE);
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "?"), When.calling(CREATE_SNAPSHOT).once());
    assertThat(failure(this::cutInB).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.upgrade(SHAPE.without(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS));
    reopen();

    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();

    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(controller.pending()).isEmpty();
  }

  // ---- making volumes of them

  @Test
  void aVolumeOfABareIdIsMadeWhereItsSnapshotCanBeUsed() {
    start(SHAPE);
    Snapshot cut = cutInB();

    CatalogVolume made = controller.create(COPY, copyOf(cut, A, B));

    assertThat(made.topologies()).containsExactly(B);
    assertThat(requests(GET_SNAPSHOT))
        .singleElement()
        .satisfies(asked -> assertThat(asked.map("secrets")).containsOnlyKeys("key-of-prod"));
    assertThat(controller.record(COPY).orElseThrow().topologies())
        .contains(TopologyRequirement.anyOf(Set.of(B)));
    assertThat(made.spec().topologies()).contains(TopologyRequirement.anyOf(Set.of(A, B)));
  }

  @Test
  void theListTellsThePlaceWhereSingleSnapshotsCannotBeRead() {
    start(SHAPE.without(ControllerCapability.GET_SNAPSHOT));
    Snapshot cut = cutInB();

    assertThat(controller.create(COPY, copyOf(cut, A, B)).topologies()).containsExactly(B);

    assertThat(requests(LIST_SNAPSHOTS))
        .singleElement()
        .satisfies(asked -> assertThat(asked.text("snapshot_id")).isEqualTo(cut.id().value()));
  }

  @Test
  void aVolumeThatMayBeAnywhereIsPlacedByThePlugin() {
    start(SHAPE);
    Snapshot cut = cutInB();

    CatalogVolume made = controller.create(COPY, spec().fromSnapshot(cut.id()).build());

    assertThat(made.topologies()).containsExactly(B);
    assertThat(requests(GET_SNAPSHOT)).isEmpty();
  }

  @Test
  void aWishThatTheSnapshotCannotMeetIsRefusedWithBothPlaces() {
    start(SHAPE);
    Snapshot cut = cutInB();

    ControllerException refused = failure(() -> controller.create(COPY, copyOf(cut, A)));

    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
    assertThat(refused.violations()).hasSize(1);
    assertThat(refused)
        .hasMessageContaining("zone=a")
        .hasMessageContaining("snapshot '" + cut.id() + "' can only be used from")
        .hasMessageContaining("zone=b");
    assertThat(requests(CREATE_VOLUME)).hasSize(1);
    assertThat(controller.record(COPY)).isEmpty();
  }

  @Test
  void theSameWishFindsTheVolumeAlsoWhenItsSnapshotIsGone() {
    start(SHAPE);
    Snapshot cut = cutInB();
    CatalogVolume made = controller.create(COPY, copyOf(cut, A, B));
    controller.deleteSnapshot(ID, cut, Optional.of(SecretsReference.of("prod")));
    reopen();

    assertThat(controller.create(COPY, copyOf(cut, A, B))).isEqualTo(made);
  }

  @Test
  void aVolumeWhoseFateACrashLeftOpenIsAskedForInTheSamePlace() {
    start(SHAPE);
    Snapshot cut = cutInB();
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "?"), When.calling(CREATE_VOLUME).once());
    assertThat(failure(() -> controller.create(COPY, copyOf(cut, A, B))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    reopen();

    assertThat(controller.create(COPY, copyOf(cut, A, B)).topologies()).containsExactly(B);

    assertThat(requests(CREATE_VOLUME).stream().skip(1).distinct()).hasSize(1);
    assertThat(requests(CREATE_VOLUME)).hasSize(3);
    assertThat(requests(GET_SNAPSHOT)).hasSize(1);
  }

  @Test
  void aSnapshotThatIsNotThereIsForTheVolumeToTell() {
    start(SHAPE);
    VolumeSpec wanted =
        spec()
            .fromSnapshot(SnapshotId.of("snap-none"))
            .topologies(TopologyRequirement.anyOf(Set.of(A)))
            .build();

    ControllerException refused = failure(() -> controller.create(COPY, wanted));

    assertThat(refused.rpc()).contains(CREATE_VOLUME);
    assertThat(refused.status()).contains(StatusCode.NOT_FOUND);
    assertThat(controller.record(COPY)).isEmpty();
  }

  @Test
  void aPlaceThatCannotBeReadNowLeavesNothingBegun() {
    start(SHAPE);
    Snapshot cut = cutInB();
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "?"), When.calling(GET_SNAPSHOT).once());

    ControllerException later = failure(() -> controller.create(COPY, copyOf(cut, A, B)));

    assertThat(later.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(later.rpc()).contains(GET_SNAPSHOT);
    assertThat(controller.record(COPY)).isEmpty();
  }
}
