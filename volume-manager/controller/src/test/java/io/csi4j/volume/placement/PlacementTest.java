package io.csi4j.volume.placement;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.GET_CAPACITY;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.ControllerWorld;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.Placement.CapacityReading;
import io.csi4j.volume.placement.Placement.PlannedClaim;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes in three zones, ranked for volumes of a plugin that runs on all of them. */
class PlacementTest {

  private static final Topology A = Topology.of(Map.of("zone", "a"));
  private static final Topology B = Topology.of(Map.of("zone", "b"));
  private static final Topology C = Topology.of(Map.of("zone", "c"));

  /** The nodes n1 to n6 stand in the zones a, b, c, a, b, c. */
  private static final PluginShape SHAPE =
      PluginShape.full113().topologies(A, B, C, A, B, C).maxVolumesPerNode(2);

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final Claim.Use ALONE =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);

  /** A time that passes when it is told to. */
  private static final class Ticking extends Clock {
    private Instant now = Instant.EPOCH;

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  private final Ticking clock = new Ticking();
  private final ControllerWorld world = new ControllerWorld();
  private final MemoryStore store = new MemoryStore();
  private FakeCsiPlugin plugin;
  private VolumeController controller;
  private Placement placement;
  private List<Placement.Node> nodes;

  private void start(PluginShape shape) {
    NodeId[] ids =
        IntStream.rangeClosed(1, 6).mapToObj(i -> NodeId.of("n" + i)).toArray(NodeId[]::new);
    plugin =
        FakeCsiPlugin.builder()
            .shape(shape)
            .nodes(ids[0], java.util.Arrays.copyOfRange(ids, 1, ids.length))
            .effects(NodeEffects.none())
            .open();
    world.register("only", plugin.endpoint());
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
            .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
            .claims(store)
            .open();
    placement =
        Placement.builder(controller).claims(new ClaimBook(store, clock)).clock(clock).build();
    nodes = new ArrayList<>();
    for (NodeId id : ids) {
      nodes.add(Placement.Node.of(NodeName.of(id.value()), List.of(described(id))));
    }
    // The order in which a host hands them in has no part in it.
    Collections.shuffle(nodes, new Random(7));
  }

  private RegisteredPlugin described(NodeId id) {
    try (CsiPlugin node = CsiPlugin.connect(plugin.nodeEndpoint(id))) {
      NodeInfo info = node.node().getInfo();
      return new RegisteredPlugin(
          PluginRegistration.node(PluginBinding.of(ID, plugin.nodeEndpoint(id))),
          ControllerWorld.ready(),
          Optional.of(
              new PluginFingerprint(
                  node.identity().getPluginInfo().name(),
                  new PluginFingerprint.Version("1"),
                  node.identity().getPluginCapabilities(),
                  Optional.empty(),
                  Optional.of(
                      new NodeFacts(
                          Optional.of(info.nodeId()),
                          info.maxVolumesPerNode(),
                          info.accessibleTopology(),
                          node.node().getCapabilities())),
                  Instant.EPOCH)),
          false);
    }
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
        .capacity(CapacityRange.atLeast(1000));
  }

  private static List<NodeName> names(String... names) {
    return List.of(names).stream().map(NodeName::of).toList();
  }

  /** Lets each zone have this many bytes left; a zone that is not named has none. */
  private void room(Map<String, Long> bytes) {
    plugin.inject(
        Fault.answer(
            request ->
                Map.of(
                    "available_capacity",
                    bytes.getOrDefault(
                        request.message("accessible_topology").map("segments").get("zone"), 0L))),
        When.calling(GET_CAPACITY));
  }

  private static String without(Placement.Report report, String node) {
    return report.excluded().stream()
        .filter(each -> each.node().equals(NodeName.of(node)))
        .flatMap(each -> each.why().stream())
        .map(why -> why.code() + ": " + why.seen())
        .reduce("", (one, other) -> one.isEmpty() ? other : one + "\n" + other);
  }

  private void claim(VolumeKey volume, String workload, String node) {
    assertThat(
            new ClaimBook(store, clock)
                .claim(
                    ClaimRequest.builder(
                            VolumeUse.of(volume, WorkloadId.of(workload)),
                            NodeName.of(node),
                            ALONE,
                            ClaimMode.WRITE)
                        .build())
                .node())
        .isEqualTo(NodeName.of(node));
  }

  // ---- new volumes

  @Test
  void nodesWithMoreRoomComeFirstAndTheLastSayWhy() {
    start(SHAPE);
    room(Map.of("a", 5000L, "b", 9000L));
    clock.now = Instant.ofEpochSecond(100);

    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(report.text())
        .isEqualTo(
            """
            1. n2: in {zone=b}; 9000 bytes left, asked 0 s ago; takes 2 more volumes
            2. n5: in {zone=b}; 9000 bytes left, asked 0 s ago; takes 2 more volumes
            3. n1: in {zone=a}; 5000 bytes left, asked 0 s ago; takes 2 more volumes
            4. n4: in {zone=a}; 5000 bytes left, asked 0 s ago; takes 2 more volumes
            5. n3: in {zone=c}; 0 bytes left, asked 0 s ago; takes 2 more volumes; \
            last, because the plugin reports no free capacity; some plugins never report any
            6. n6: in {zone=c}; 0 bytes left, asked 0 s ago; takes 2 more volumes; \
            last, because the plugin reports no free capacity; some plugins never report any
            """);
    assertThat(plugin.journal().calls(GET_CAPACITY)).as("one for each place").hasSize(3);
  }

  @Test
  void immediateBindingAllowsThePlacesOfAllCandidatesTheBestFirst() {
    start(SHAPE);
    room(Map.of("a", 5000L, "b", 9000L, "c", 10L));
    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(report.anywhere().topologies())
        .contains(new TopologyRequirement(Set.of(A, B), List.of(B, A)));
    assertThat(without(report, "n3"))
        .isEqualTo(
            "STORAGE_TOO_SMALL: 1000 bytes are requested, but the plugin has 10, asked 0 s ago");
    assertThat(controller.create(DB, report.anywhere()).topologies()).containsExactly(B);
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(1);
  }

  @Test
  void aVolumeThatWaitsForItsNodeIsMadeThereOnlyOrThereFirst() {
    start(SHAPE);
    Placement.Report report = placement.candidates(spec().build(), nodes);
    NodeName chosen = NodeName.of("n6");

    assertThat(report.onlyOn(chosen).topologies())
        .contains(new TopologyRequirement(Set.of(C), List.of(C)));
    assertThat(report.firstOn(chosen).topologies())
        .contains(new TopologyRequirement(Set.of(A, B, C), List.of(C, A, B)));
    assertThat(controller.create(DB, report.onlyOn(chosen)).topologies()).containsExactly(C);
    assertThatThrownBy(() -> report.onlyOn(NodeName.of("n7")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Choose one of [n1, n2, n3, n4, n5, n6].");
  }

  @Test
  void whatTheSpecRequiresAndPrefersDecidesBeforeRoom() {
    start(SHAPE);
    room(Map.of("a", 5000L, "b", 9000L, "c", 9000L));
    VolumeSpec picky = spec().topologies(new TopologyRequirement(Set.of(A, B), List.of(A))).build();

    Placement.Report report = placement.candidates(picky, nodes);

    assertThat(report.nodes()).isEqualTo(names("n1", "n4", "n2", "n5"));
    assertThat(report.candidates().get(0).remarks()).containsExactly("preferred place 1");
    assertThat(without(report, "n3"))
        .isEqualTo(
            "TOPOLOGY_MISMATCH: it must be reachable from {zone=a} or {zone=b}, and this node is"
                + " in {zone=c}");
    assertThat(report.anywhere().topologies())
        .contains(new TopologyRequirement(Set.of(A, B), List.of(A, B)));
  }

  @Test
  void aCopyOfASnapshotIsPlacedWhereTheSnapshotCanBeUsed() {
    start(SHAPE);
    controller.create(DB, spec().build());
    Snapshot cut =
        controller.createSnapshot(
            DB, SnapshotName.of("nightly"), Map.of(), TopologyRequirement.anyOf(List.of(B)));

    Placement.Report report =
        placement.candidates(
            spec().fromSnapshot(cut.id(), cut.accessibleTopology()).build(), nodes);

    assertThat(report.nodes()).isEqualTo(names("n2", "n5"));
    assertThat(without(report, "n1"))
        .startsWith("TOPOLOGY_MISMATCH: ")
        .contains("can only be used from [{zone=b}]");
    assertThat(
            controller.create(VolumeKey.of("copy"), report.onlyOn(NodeName.of("n5"))).topologies())
        .containsExactly(B);
  }

  @Test
  void aPluginWithoutPlacesIsAskedOnceAndNoPlaceIsSent() {
    start(PluginShape.full());
    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(report.nodes()).isEqualTo(names("n1", "n2", "n3", "n4", "n5", "n6"));
    assertThat(report.anywhere()).isEqualTo(spec().build());
    assertThat(plugin.journal().calls(GET_CAPACITY))
        .singleElement()
        .satisfies(call -> assertThat(call.request().has("accessible_topology")).isFalse());
  }

  // ---- room

  @Test
  void figuresAreUsedUntilTheyAreTooOldAndForgottenOnRequest() {
    start(SHAPE);
    room(Map.of("a", 5000L, "b", 5000L, "c", 5000L));
    placement.candidates(spec().build(), nodes);
    clock.now = Instant.ofEpochSecond(59);
    Placement.Report later = placement.candidates(spec().build(), nodes);
    assertThat(plugin.journal().calls(GET_CAPACITY)).hasSize(3);
    assertThat(later.candidates().get(0).capacity().map(CapacityReading::age))
        .contains(Duration.ofSeconds(59));

    clock.now = Instant.ofEpochSecond(60);
    placement.candidates(spec().build(), nodes);
    assertThat(plugin.journal().calls(GET_CAPACITY)).as("after a minute").hasSize(6);
    placement.candidates(spec().parameters(Map.of("tier", "gold")).build(), nodes);
    assertThat(plugin.journal().calls(GET_CAPACITY)).as("of another kind").hasSize(9);
    placement.forgetRoom(ID);
    placement.candidates(spec().build(), nodes);
    assertThat(plugin.journal().calls(GET_CAPACITY)).as("after it was forgotten").hasSize(12);
  }

  @Test
  void aPluginThatCannotBeAskedAgainIsJudgedByItsLastFigures() {
    start(SHAPE);
    room(Map.of("a", 5000L, "b", 5000L, "c", 5000L));
    placement.candidates(spec().build(), nodes);
    clock.now = Instant.ofEpochSecond(600);
    plugin.clearFaults();
    plugin.inject(Fault.fail(StatusCode.INTERNAL, "tired"), When.calling(GET_CAPACITY));

    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(report.nodes()).isEqualTo(names("n1", "n2", "n3", "n4", "n5", "n6"));
    assertThat(report.candidates().get(0).capacity())
        .hasToString("Optional[5000 bytes left, asked 600 s ago]");
    assertThat(report.candidates().get(0).remarks())
        .singleElement()
        .asString()
        .startsWith("reading its capacity failed: ")
        .contains("tired");
  }

  @Test
  void aPluginThatNeverAnswersExcludesNoNode() {
    start(SHAPE);
    plugin.inject(Fault.hang(), When.calling(GET_CAPACITY));
    placement = Placement.builder(controller).patience(Duration.ofMillis(50)).build();

    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(report.nodes()).hasSize(6);
    assertThat(report.candidates().get(0).remarks())
        .containsExactly("the plugin did not report its capacity within 0 s");
  }

  @Test
  void aPluginThatNeverSaysWhatItOffersExcludesNoNodeAndHoldsNoReport() {
    start(SHAPE);
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_GET_CAPABILITIES));
    placement = Placement.builder(controller).patience(Duration.ofMillis(50)).build();

    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(report.nodes()).hasSize(6);
    assertThat(report.candidates())
        .allSatisfy(
            candidate ->
                assertThat(candidate.remarks())
                    .containsExactly("the plugin did not report its capacity within 0 s"));
  }

  @Test
  void aPluginThatIsAwayIsSoForAllPlaces() {
    start(SHAPE);
    List<Placement.Node> many =
        IntStream.range(0, 64).mapToObj(i -> inZone("n" + i, "z" + i)).toList();
    plugin.close();

    assertThat(placement.candidates(spec().build(), many).candidates())
        .hasSize(64)
        .allSatisfy(
            candidate ->
                assertThat(candidate.remarks())
                    .singleElement()
                    .asString()
                    .startsWith("its controller cannot report its capacity: "));
  }

  @Test
  void aPluginThatHangsIsAskedForAFewPlacesOnlyByAllReports() {
    start(SHAPE);
    plugin.inject(Fault.hang(), When.calling(GET_CAPACITY));
    placement = Placement.builder(controller).patience(Duration.ofMillis(50)).build();
    List<Placement.Node> many =
        IntStream.range(0, 64).mapToObj(i -> inZone("n" + i, "z" + i)).toList();

    for (int reports = 0; reports < 2; reports++) {
      assertThat(placement.candidates(spec().build(), many).candidates())
          .hasSize(64)
          .allSatisfy(
              candidate ->
                  assertThat(candidate.remarks())
                      .containsExactly("the plugin did not report its capacity within 0 s"));
    }
    plugin.journal().await(call -> call.operation() == GET_CAPACITY, Duration.ofSeconds(30));
    assertThat(plugin.journal().calls(GET_CAPACITY)).hasSizeLessThanOrEqualTo(16);
  }

  private Placement.Node inZone(String name, String zone) {
    RegisteredPlugin like = described(NodeId.of("n1"));
    PluginFingerprint fingerprint = like.fingerprint().orElseThrow();
    NodeFacts facts = fingerprint.node().orElseThrow();
    return Placement.Node.of(
        NodeName.of(name),
        List.of(
            new RegisteredPlugin(
                like.registration(),
                like.health(),
                Optional.of(
                    new PluginFingerprint(
                        fingerprint.name(),
                        fingerprint.version(),
                        fingerprint.plugin(),
                        fingerprint.controller(),
                        Optional.of(
                            new NodeFacts(
                                facts.nodeId(),
                                facts.maxVolumes(),
                                Optional.of(Topology.of(Map.of("zone", zone))),
                                facts.capabilities())),
                        fingerprint.taken())),
                false)));
  }

  @Test
  void anAnswerToAQuestionFromBeforeTheRoomWasForgottenIsNotUsed() {
    start(SHAPE);
    plugin.inject(
        Fault.answer(
            request -> {
              placement.forgetRoom(ID);
              return Map.of("available_capacity", 5000L);
            }),
        When.calling(GET_CAPACITY));

    Placement.Report during = placement.candidates(spec().build(), nodes);

    assertThat(during.candidates().get(0).remarks())
        .containsExactly("the capacity that the plugin reported was discarded");
    plugin.clearFaults();
    room(Map.of("a", 7000L, "b", 7000L, "c", 7000L));
    Placement.Report after = placement.candidates(spec().build(), nodes);
    assertThat(after.candidates())
        .allSatisfy(
            candidate ->
                assertThat(candidate.capacity()).get().asString().startsWith("7000 bytes left"));
    assertThat(plugin.journal().calls(GET_CAPACITY)).hasSize(6);
  }

  @Test
  void aPluginThatDoesNotOfferGetCapacityIsNotAsked() {
    start(SHAPE.without(ControllerCapability.GET_CAPACITY));

    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(report.nodes()).hasSize(6);
    assertThat(report.candidates().get(0).remarks())
        .containsExactly("the plugin does not report its capacity");
    assertThat(plugin.journal().calls(GET_CAPACITY)).isEmpty();
  }

  @Test
  void theLargestAndTheSmallestVolumeOfAPluginCount() {
    start(SHAPE);
    plugin.inject(
        Fault.answer(
            GET_CAPACITY,
            """
            {"available_capacity": 100000, "maximum_volume_size": {"value": 5000},
             "minimum_volume_size": {"value": 500}}
            """),
        When.calling(GET_CAPACITY));

    assertThat(
            without(
                placement.candidates(spec().capacity(CapacityRange.atLeast(6000)).build(), nodes),
                "n1"))
        .isEqualTo(
            "STORAGE_TOO_SMALL: 6000 bytes are requested, but the largest volume of the plugin has"
                + " 5000, asked 0 s ago");
    assertThat(
            without(
                placement.candidates(
                    spec().capacity(CapacityRange.between(100, 400)).build(), nodes),
                "n1"))
        .isEqualTo(
            "STORAGE_TOO_SMALL: at most 400 bytes are requested, but the smallest volume of the"
                + " plugin has 500, asked 0 s ago");
  }

  // ---- plugins

  private static RegisteredPlugin sick(RegisteredPlugin well) {
    return new RegisteredPlugin(
        well.registration(),
        new PluginHealth(
            PluginHealth.State.UNHEALTHY,
            PluginHealth.Reason.SILENT,
            new PluginHealth.Text("it does not answer"),
            Instant.EPOCH),
        well.fingerprint(),
        false);
  }

  private static RegisteredPlugin unasked(RegisteredPlugin well) {
    return new RegisteredPlugin(
        well.registration(),
        ControllerWorld.health(PluginHealth.State.STARTING, PluginHealth.Reason.NOT_ASKED),
        Optional.empty(),
        false);
  }

  private static RegisteredPlugin remembered(RegisteredPlugin well) {
    return new RegisteredPlugin(well.registration(), well.health(), well.fingerprint(), true);
  }

  @Test
  void aNodeWithoutThePluginOrWithASickOneSaysSo() {
    start(SHAPE);
    RegisteredPlugin well = described(NodeId.of("n1"));
    RegisteredPlugin sick = sick(well);
    RegisteredPlugin unasked = unasked(well);
    RegisteredPlugin remembered = remembered(well);
    RegisteredPlugin other =
        new RegisteredPlugin(
            PluginRegistration.node(
                PluginBinding.of(PluginId.of("nfs"), plugin.nodeEndpoint(NodeId.of("n1")))),
            well.health(),
            well.fingerprint(),
            false);

    Placement.Report report =
        placement.candidates(
            spec().build(),
            List.of(
                Placement.Node.of(NodeName.of("well"), List.of(well)),
                Placement.Node.of(NodeName.of("bare"), List.of()),
                Placement.Node.of(NodeName.of("other"), List.of(other)),
                Placement.Node.of(NodeName.of("sick"), List.of(sick)),
                Placement.Node.of(NodeName.of("gone"), List.of(remembered)),
                Placement.Node.of(NodeName.of("new"), List.of(unasked))));

    assertThat(report.nodes()).isEqualTo(names("well"));
    assertThat(without(report, "bare"))
        .isEqualTo(
            "PLUGIN_NOT_REGISTERED: no plugin is registered with the role NODE on this node");
    assertThat(without(report, "other"))
        .isEqualTo("PLUGIN_NOT_REGISTERED: registered with the role NODE on this node are: 'nfs'");
    assertThat(without(report, "sick"))
        .isEqualTo(
            "PLUGIN_UNHEALTHY: instance 'only' is UNHEALTHY since 1970-01-01T00:00:00Z: it does not"
                + " answer");
    assertThat(without(report, "gone"))
        .isEqualTo(
            "PLUGIN_NOT_REGISTERED: instance 'only' is known from an earlier run, but was not"
                + " registered with the role NODE since this start");
    assertThat(without(report, "new"))
        .isEqualTo("PLUGIN_NOT_READY: the plugin was not yet asked for the topology of this node");
  }

  @Test
  void theNewestInstanceThatIsReadyCountsWhateverIsAboveIt() {
    start(SHAPE);
    RegisteredPlugin well = described(NodeId.of("n2"));
    List<Placement.Node> doubled = new ArrayList<>();
    for (RegisteredPlugin newest : List.of(sick(well), unasked(well), remembered(well))) {
      NodeName name = NodeName.of("n" + doubled.size());
      doubled.add(Placement.Node.of(name, List.of(newest, well)));
    }

    Placement.Report report = placement.candidates(spec().build(), doubled);

    assertThat(report.excluded()).isEmpty();
    assertThat(report.candidates())
        .hasSize(3)
        .allSatisfy(
            candidate -> {
              assertThat(candidate.place()).contains(B);
              assertThat(candidate.freeSlots()).hasValue(2);
            });
  }

  @Test
  void whereNoInstanceIsReadyTheNewestOfThoseThatAreRegisteredSaysWhy() {
    start(SHAPE);
    RegisteredPlugin well = described(NodeId.of("n1"));

    Placement.Report report =
        placement.candidates(
            spec().build(),
            List.of(
                Placement.Node.of(NodeName.of("bad"), List.of(remembered(well), sick(well))),
                Placement.Node.of(NodeName.of("new"), List.of(unasked(well), sick(well))),
                Placement.Node.of(NodeName.of("well"), List.of(well))));

    assertThat(report.nodes()).isEqualTo(names("well"));
    assertThat(without(report, "bad")).startsWith("PLUGIN_UNHEALTHY: instance 'only' is UNHEALTHY");
    assertThat(without(report, "new"))
        .isEqualTo("PLUGIN_NOT_READY: the plugin was not yet asked for the topology of this node");
  }

  // ---- volumes that exist

  @Test
  void aVolumeCanBeUsedWhereItCanBeReached() {
    start(SHAPE);
    CatalogVolume made =
        controller.create(DB, spec().topologies(TopologyRequirement.anyOf(Set.of(B))).build());

    Placement.Report report = placement.candidates(made, nodes);

    assertThat(report.nodes()).isEqualTo(names("n2", "n5"));
    assertThat(without(report, "n1"))
        .isEqualTo(
            "TOPOLOGY_MISMATCH: it can be reached from {zone=b}, and this node is in {zone=a}");
    assertThat(plugin.journal().calls(GET_CAPACITY)).as("room is not needed").isEmpty();
  }

  @Test
  void theNodesLimitIsCountedFromItsClaimsAndWhatItHasNeedsNoMore() {
    start(SHAPE);
    for (String each : List.of("one", "two", "three")) {
      controller.create(VolumeKey.of(each), spec().build());
    }
    claim(VolumeKey.of("one"), "w1", "n1");
    claim(VolumeKey.of("two"), "w2", "n1");
    claim(VolumeKey.of("three"), "w3", "n4");
    claim(VolumeKey.of("elsewhere"), "w4", "n4");

    Placement.Report report = placement.candidates(spec().build(), nodes);

    assertThat(without(report, "n1"))
        .isEqualTo(
            "NODE_VOLUME_LIMIT: the plugin takes 2 volumes on this node, and its claims are for 2");
    assertThat(report.nodes()).isEqualTo(names("n2", "n3", "n5", "n6", "n4"));
    CatalogVolume one = controller.find(VolumeKey.of("one")).orElseThrow();
    assertThat(placement.candidates(one, nodes).candidates().get(0).node())
        .as("has it already, so that it takes no more of the node")
        .isEqualTo(NodeName.of("n1"));
  }

  @Test
  void theNodesLimitIsCountedThoughTheStoreGivesShorterPages() {
    start(SHAPE);
    for (String each : List.of("one", "two", "three")) {
      controller.create(VolumeKey.of(each), spec().build());
    }
    claim(VolumeKey.of("one"), "w1", "n2");
    claim(VolumeKey.of("three"), "w3", "n1");
    claim(VolumeKey.of("two"), "w2", "n1");
    RecordStore oneAtATime =
        new PassingStore(store) {
          @Override
          public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
            return super.scan(space, after, 1);
          }
        };

    Placement.Report report =
        Placement.builder(controller)
            .claims(new ClaimBook(oneAtATime, clock))
            .clock(clock)
            .build()
            .candidates(spec().build(), nodes);

    assertThat(without(report, "n1")).startsWith("NODE_VOLUME_LIMIT");
  }

  /** What is placed while a claim cannot be read, of this volume or of one that is not known. */
  private Placement.Report whileUnreadable(Optional<VolumeKey> volume) {
    RecordStore damaged =
        new PassingStore(store) {
          @Override
          public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
            Page page = super.scan(space, after, limit);
            List<StoredRecord> records = new ArrayList<>(page.records());
            RecordKey key =
                volume
                    .map(it -> RecordKey.of(space, it))
                    .orElseGet(() -> new RecordKey(space, "key"));
            records.add(StoredRecord.of(key, 1, new byte[] {8, 9}));
            return new Page(records, page.next());
          }
        };
    return Placement.builder(controller)
        .claims(new ClaimBook(damaged, clock))
        .clock(clock)
        .build()
        .candidates(spec().build(), nodes);
  }

  @Test
  void noLimitIsCountedWithAClaimThatCannotBeReadUnlessItIsOfNoVolumeOfThePlugin() {
    start(SHAPE);
    controller.create(VolumeKey.of("one"), spec().build());
    claim(VolumeKey.of("one"), "w1", "n1");

    for (Optional<VolumeKey> volume :
        List.of(Optional.<VolumeKey>empty(), Optional.of(VolumeKey.of("one")))) {
      ClaimException refused =
          catchThrowableOfType(ClaimException.class, () -> whileUnreadable(volume));
      assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_UNREADABLE);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.HELD);
      assertThat(refused.operatorMessage().seen().text())
          .contains("failed: It has format 9, and this version reads format 1 to 3");
    }
    assertThat(whileUnreadable(Optional.of(VolumeKey.of("elsewhere"))).candidates())
        .as("all nodes have room")
        .hasSize(6);
  }

  @Test
  void aClaimThatForbidsItSaysWhoHoldsTheVolume() {
    start(SHAPE);
    CatalogVolume made = controller.create(DB, spec().build());
    claim(DB, "web", "n4");
    PlannedClaim other = new PlannedClaim(WorkloadId.of("batch"), ALONE, ClaimMode.WRITE);
    PlannedClaim same = new PlannedClaim(WorkloadId.of("web"), ALONE, ClaimMode.WRITE);

    Placement.Report refused = placement.candidates(made, other, nodes);
    Placement.Report again = placement.candidates(made, same, nodes);

    assertThat(refused.candidates()).isEmpty();
    assertThat(refused.best()).isEmpty();
    assertThat(without(refused, "n1"))
        .startsWith("CLAIM_HELD_BY: access mode SINGLE_NODE_WRITER admits one node (")
        .contains("web", "n4");
    assertThat(again.nodes()).isEqualTo(names("n4"));
    assertThat(again.candidates().get(0).remarks()).containsExactly("has the volume already");
    assertThatThrownBy(() -> Placement.builder(controller).build().candidates(made, same, nodes))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("was built without claims");
  }

  /** A claim is kept with the options of its volume: a request states only some of them. */
  @Test
  void theMountOptionsOfAClaimAreComparedInFull() {
    start(SHAPE);
    VolumeSpec spec = spec().mountOptions(MountOptions.none().withFsType("xfs")).build();
    CatalogVolume made = controller.create(DB, spec);
    MountOptions stated = MountOptions.none().withFlags(MountFlags.of("noatime"));
    VolumeUse web = VolumeUse.of(DB, WorkloadId.of("web"));
    assertThat(
            new ClaimBook(store, clock)
                .claim(
                    ClaimRequest.builder(web, NodeName.of("n4"), ALONE, ClaimMode.WRITE)
                        .options(spec.mountOptions().overlaidWith(stated))
                        .build())
                .epoch())
        .isEqualTo(1);

    assertThat(candidates(made, stated).nodes()).isEqualTo(names("n4"));
    assertThat(candidates(made, MountOptions.none()).candidates()).isEmpty();
    assertThat(without(candidates(made, MountOptions.none()), "n4"))
        .startsWith("CLAIM_OTHER_USE: ")
        .contains("with other mount options than it requests now");
  }

  private Placement.Report candidates(CatalogVolume volume, MountOptions options) {
    return placement.candidates(
        volume, new PlannedClaim(WorkloadId.of("web"), ALONE, ClaimMode.WRITE, options), nodes);
  }

  @Test
  void aClaimOnANodeHasTheNodeIdOfTheFingerprintThere() {
    start(SHAPE);
    MountOptions options = MountOptions.none().withFsType("xfs");
    PlannedClaim wish = new PlannedClaim(WorkloadId.of("web"), ALONE, ClaimMode.WRITE, options);

    for (Placement.Node node : nodes) {
      ClaimRequest request = node.claim(ID, DB, wish);
      assertThat(request)
          .isEqualTo(
              ClaimRequest.builder(
                      VolumeUse.of(DB, WorkloadId.of("web")), node.name(), ALONE, ClaimMode.WRITE)
                  .options(options)
                  .nodeId(NodeId.of(request.nodeId().orElseThrow().value()))
                  .build());
      assertThat(request.nodeId())
          .isEqualTo(
              node.plugins().get(0).fingerprint().orElseThrow().node().orElseThrow().nodeId());
    }
    assertThat(Placement.Node.of(NodeName.of("bare"), List.of()).claim(ID, DB, wish).nodeId())
        .isEmpty();
  }

  @Test
  void aPluginThatConstrainsNothingReachesEveryNode() {
    start(
        SHAPE.without(
            PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS,
            PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS));
    assertThat(placement.candidates(spec().build(), nodes).anywhere().topologies()).isEmpty();
  }
}
