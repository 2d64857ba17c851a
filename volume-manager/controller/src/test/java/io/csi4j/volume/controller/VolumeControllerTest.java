package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_MODIFY_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.VALIDATE_VOLUME_CAPABILITIES;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.store.LocalRecords;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The controller on a real socket; the referee judges every test. */
class VolumeControllerTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final SecretsReference PROD = SecretsReference.of("prod");
  private static final Topology A = Topology.of(Map.of("zone", "a"));
  private static final Topology B = Topology.of(Map.of("zone", "b"));
  private static final SnapshotName NIGHTLY = SnapshotName.of("nightly");
  private static final Duration SECONDS = Duration.ofSeconds(20);

  /** Growing needs no node here, unless a test says otherwise. */
  private static final PluginShape SHAPE = PluginShape.full().without(NodeCapability.EXPAND_VOLUME);

  private final ControllerWorld world = new ControllerWorld();
  private final MemoryMedium medium = MemoryMedium.create();
  private final MemoryStore claims = new MemoryStore();
  private final Queue<OperatorMessage> told = new ConcurrentLinkedQueue<>();
  private FakeCsiPlugin plugin = world.registered(SHAPE);

  /** Nothing is tried in the background, unless a test is about that. */
  private Duration firstPause = Duration.ofDays(1);

  private VolumeController controller = open();

  private VolumeController open() {
    return builder().open();
  }

  private VolumeController.Builder builder() {
    return VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
        .claims(claims)
        .secrets(name -> operation -> Secrets.of(Map.of("key-of-" + name, "s3cr3t")))
        .told(told::add)
        .firstPause(firstPause)
        .settings(
            ControllerSettings.builder()
                .policy(policy -> policy.attempts(1).attemptDeadline(SECONDS))
                .build());
  }

  private void reopen() {
    controller.close();
    medium.crash();
    controller = open();
  }

  /** Opens it again; what is not at its end is tried in the background soon. */
  private void reopenHurried() {
    firstPause = Duration.ofMillis(100);
    reopen();
  }

  /** Opens it again; what is not at its end is tried when the test lets time pass. */
  private VirtualTime reopenOnVirtualTime() {
    return reopenOn(new VirtualTime(), new SystemClock());
  }

  private VirtualTime reopenOn(VirtualTime time, io.csi4j.volume.internal.time.Clock clock) {
    controller.close();
    medium.crash();
    OnDemandThreads threads = new OnDemandThreads("csi4j-volume-test");
    RegistryControllers controllers = world.controllers(threads);
    controller =
        new VolumeController(
            builder(),
            controllers,
            clock,
            time,
            Runnable::run,
            () -> {
              threads.close();
              controllers.close();
            });
    return time;
  }

  private FakeCsiPlugin plugin(PluginShape shape) {
    plugin.close();
    plugin = world.registered(shape);
    return plugin;
  }

  @AfterEach
  void nothingIsLeftAndNoDutyWasBroken() {
    controller.close();
    plugin.assertLawful();
    world.close();
    Waits.until(() -> ControllerWorld.threads("csi4j-volume-connect").isEmpty());
  }

  private static VolumeSpec.Builder spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(1 << 20));
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  private List<WireMessage> requests(CsiOperation operation) {
    return plugin.journal().calls(operation).stream().map(call -> call.request()).toList();
  }

  private WireMessage request(CsiOperation operation) {
    return requests(operation).get(0);
  }

  private void claim(VolumeKey key) {
    new ClaimBook(claims, Clock.systemUTC())
        .claim(
            ClaimRequest.builder(
                    VolumeUse.of(key, WorkloadId.of("web-1")),
                    NodeName.of("n1"),
                    new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                    ClaimMode.WRITE)
                .nodeId(NodeId.of("node-1"))
                .build());
  }

  // ---- a plugin without a controller

  @Test
  void aPluginThatSaysThatItHasNoControllerIsAskedNothingElse() {
    plugin.close();
    plugin = world.plugin(PluginShape.nodeOnly());
    world.only().close();
    try (PluginHandle there = world.register("other", plugin.nodeEndpoint())) {
      CatalogVolume volume =
          CatalogVolume.builder(DB, spec().build(), VolumeId.of("local-1")).build();

      assertThat(controller.register(volume)).isEqualTo(volume);
      assertThat(controller.attaches(ID)).isFalse();
      assertThat(controller.offered(ID)).isEmpty();
      assertThat(plugin.journal().calls(CsiOperation.CONTROLLER_GET_CAPABILITIES)).isEmpty();
      assertThat(failure(() -> controller.create(VolumeKey.of("new"), spec().build())).code())
          .isEqualTo(OperatorCode.CONTROLLER_CALL_NOT_OFFERED);
      assertThat(there.registration().id()).isEqualTo(ID);
    }
  }

  // ---- create

  @Test
  void aVolumeIsMadeAsItWasAskedForAndRememberedAsItIs() {
    plugin(SHAPE.topologies(A, B));
    VolumeSpec wanted =
        spec()
            .parameters(Map.of("type", "ssd"))
            .mutableParameters(Map.of("iops", "3"))
            .mountOptions(MountOptions.none().withFsType("ext4"))
            .secrets(PROD)
            .topologies(new TopologyRequirement(Set.of(A, B), List.of(B)))
            .build();

    CatalogVolume made = controller.create(DB, wanted);

    WireMessage asked = request(CREATE_VOLUME);
    assertThat(asked.text("name")).matches("csi4j-[a-z2-7]{26}");
    assertThat(asked.map("parameters")).containsExactly(Map.entry("type", "ssd"));
    assertThat(asked.map("mutable_parameters")).containsExactly(Map.entry("iops", "3"));
    assertThat(asked.map("secrets")).containsOnlyKeys("key-of-prod");
    assertThat(plugin.journal().lastCapability(CREATE_VOLUME))
        .contains(
            VolumeCapability.mount(
                AccessMode.SINGLE_NODE_WRITER, MountOptions.none().withFsType("ext4")));
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
    assertThat(made.capacityBytes()).hasValue(1 << 20);
    assertThat(made.provider()).contains(SHAPE.name());
    assertThat(made.topologies()).containsExactly(B);
    assertThat(made.spec()).isEqualTo(wanted);
    assertThat(controller.find(DB)).contains(made);
    assertThat(controller.volumes()).containsExactly(made);
  }

  @Test
  @Tag("T-02")
  void noPlaceIsMadeUpBesideThoseThatThePluginNames() {
    plugin(SHAPE.topologies(A, B));
    CatalogVolume made =
        controller.create(DB, spec().topologies(TopologyRequirement.anyOf(Set.of(A))).build());
    assertThat(new ArrayList<>(made.topologies())).isEqualTo(List.of(A));
  }

  @Test
  void theSameAgainFindsTheVolumeAndAsksNobodyAlsoAfterARestart() {
    CatalogVolume made = controller.create(DB, spec().build());
    assertThat(controller.create(DB, spec().build())).isEqualTo(made);
    reopen();
    assertThat(controller.create(DB, spec().build())).isEqualTo(made);
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(1);
  }

  @Test
  void anotherVolumeOfTheSameKeyIsRefused() {
    controller.create(DB, spec().build());
    ControllerException refused =
        failure(() -> controller.create(DB, spec().parameters(Map.of("a", "b")).build()));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @Test
  void whatWasRefusedAtOnceIsForgottenAndMayBeAskedForDifferently() {
    ControllerException refused =
        failure(
            () -> controller.create(DB, spec().capacity(CapacityRange.atLeast(1L << 50)).build()));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_REFUSED);
    assertThat(refused.status()).contains(StatusCode.OUT_OF_RANGE);
    assertThat(refused.rpc()).contains(CREATE_VOLUME);
    assertThat(refused.advice()).startsWith("Change the capacity range.");
    assertThat(controller.record(DB)).isEqualTo(Optional.empty());

    controller.create(DB, spec().build());
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @Test
  @Tag("T-04")
  void anInvalidArgumentIsLaidOnASourceOnlyWhereThereIsOne() {
    plugin.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "no such disk type"), When.calling(CREATE_VOLUME));

    ControllerException without = failure(() -> controller.create(DB, spec().build()));
    assertThat(without.status()).contains(StatusCode.INVALID_ARGUMENT);
    assertThat(without)
        .hasMessageContaining("no such disk type")
        .hasMessageContaining("does not accept a value")
        .hasMessageContaining("Correct the parameters")
        .hasMessageNotContaining("source")
        .hasMessageNotContaining("snapshot");

    ControllerException with =
        failure(() -> controller.create(DB, spec().fromSnapshot(SnapshotId.of("snap-1")).build()));
    assertThat(with.status()).contains(StatusCode.INVALID_ARGUMENT);
    assertThat(with)
        .hasMessageContaining("no volume can be made from this source")
        .hasMessageContaining("another content source or none");
  }

  @Test
  void anAnswerThatCannotBeUsedIsToldAsThatAndTheSameAgainFindsWhatWasMade() {
    plugin.inject(Fault.answer(Fault.WrongAnswer.EMPTY), When.calling(CREATE_VOLUME).once());

    ControllerException unusable = failure(() -> controller.create(DB, spec().build()));

    assertThat(unusable.code()).isEqualTo(OperatorCode.CONTROLLER_ANSWER_UNUSABLE);
    assertThat(unusable.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(unusable.violations()).isNotEmpty();
    CatalogVolume made = controller.create(DB, spec().build());
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
  }

  @Test
  void anUncertainEndLeavesTheNameOnRecordAndTheSameAgainFindsWhatWasMade() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    ControllerException doubt = failure(() -> controller.create(DB, spec().build()));
    assertThat(doubt.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(doubt.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_IN_DOUBT);
    assertThat(controller.record(DB).map(CatalogEntry::state)).contains(new State.Creating());
    assertThat(controller.find(DB)).isEqualTo(Optional.empty());

    ControllerException other =
        failure(() -> controller.create(DB, spec().parameters(Map.of("a", "b")).build()));
    assertThat(other.code()).isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);

    CatalogVolume made = controller.create(DB, spec().build());
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
    assertThat(requests(CREATE_VOLUME).stream().map(it -> it.text("name")).distinct()).hasSize(1);
  }

  @Test
  void withoutAPlaceToRememberItNothingIsAskedFor() {
    medium.refuse(StateException.Reason.STATE_DISK_FULL);
    ControllerException refused = failure(() -> controller.create(DB, spec().build()));
    // A medium that has refused a write may show it after a crash.
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(refused.code()).isEqualTo(OperatorCode.CATALOG_UNCONFIRMED);
    assertThat(refused).hasMessageContaining("STATE_DISK_FULL");
    assertThat(plugin.journal().calls(CREATE_VOLUME)).isEmpty();
    medium.accept();
    controller.create(DB, spec().build());
  }

  @ParameterizedTest
  @Tag("D-61")
  @EnumSource(
      value = AccessMode.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"UNSPECIFIED", "UNRECOGNIZED"})
  void everyAccessModeGoesToThePluginOrItsFallbackWhereThePluginDoesNotKnowIt(AccessMode mode) {
    plugin(SHAPE.without(ControllerCapability.SINGLE_NODE_MULTI_WRITER));
    VolumeSpec wanted = VolumeSpec.builder(ID).use(mode, AttachmentMode.FILESYSTEM).build();
    CatalogVolume made = controller.create(DB, wanted);
    AccessMode old =
        switch (mode) {
          case SINGLE_NODE_SINGLE_WRITER, SINGLE_NODE_MULTI_WRITER -> AccessMode.SINGLE_NODE_WRITER;
          default -> mode;
        };
    assertThat(plugin.journal().lastCapability(CREATE_VOLUME))
        .contains(VolumeCapability.mount(old));
    assertThat(made.capability(mode, AttachmentMode.FILESYSTEM))
        .contains(VolumeCapability.mount(mode));
    controller.delete(DB);
    plugin.assertLawful();

    plugin(SHAPE);
    controller.create(DB, wanted);
    assertThat(plugin.journal().lastCapability(CREATE_VOLUME))
        .contains(VolumeCapability.mount(mode));
  }

  @Test
  @Tag("D-61")
  void theModeThatAVolumeWasMadeUnderStaysWithItAndIsToldOncePerPlugin() {
    plugin(SHAPE.without(ControllerCapability.SINGLE_NODE_MULTI_WRITER));
    VolumeSpec wanted =
        VolumeSpec.builder(ID)
            .use(AccessMode.SINGLE_NODE_SINGLE_WRITER, AttachmentMode.FILESYSTEM)
            .capacity(CapacityRange.atLeast(1L << 30))
            .build();
    controller.create(DB, wanted);
    controller.create(VolumeKey.of("web"), wanted);
    assertThat(told)
        .filteredOn(it -> it.code() == OperatorCode.ACCESS_MODE_REPLACED)
        .singleElement()
        .satisfies(
            it ->
                assertThat(it.line())
                    .contains("SINGLE_NODE_WRITER is sent instead of SINGLE_NODE_SINGLE_WRITER"));
    assertThat(controller.record(DB).orElseThrow().olderModes()).isTrue();

    plugin.upgrade(SHAPE);
    controller.expand(DB, CapacityRange.atLeast(1L << 31));
    assertThat(plugin.journal().lastCapability(CsiOperation.CONTROLLER_EXPAND_VOLUME))
        .contains(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER));
    plugin.assertLawful();
  }

  @Test
  void aVolumeForWhichOnePlaceHasNoRoomIsMadeInAnother() {
    plugin(SHAPE.topologies(A, B));
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no room in zone a"),
        When.calling(CREATE_VOLUME).once());
    VolumeSpec inA = spec().topologies(TopologyRequirement.anyOf(Set.of(A))).build();
    VolumeSpec inB = spec().topologies(TopologyRequirement.anyOf(Set.of(B))).build();
    assertThat(failure(() -> controller.create(DB, inA)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);

    CatalogVolume made = controller.create(DB, inB);

    assertThat(made.topologies()).containsExactly(B);
    assertThat(made.spec()).isEqualTo(inB);
    assertThat(requests(CREATE_VOLUME).stream().map(it -> it.text("name")).distinct()).hasSize(1);
    assertThat(controller.create(DB, inB)).isEqualTo(made);
  }

  @ParameterizedTest
  @EnumSource(names = {"INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"})
  void whereAnotherPlaceMakesNoVolumeTheFormerRequestFindsTheOneThatItMade(StatusCode refusal) {
    plugin(SHAPE.topologies(A, B));
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    VolumeSpec inA = spec().topologies(TopologyRequirement.anyOf(Set.of(A))).build();
    VolumeSpec inB = spec().topologies(TopologyRequirement.anyOf(Set.of(B))).build();
    assertThat(failure(() -> controller.create(DB, inA)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(Fault.fail(refusal, "not in zone b"), When.calling(CREATE_VOLUME).once());

    assertThat(failure(() -> controller.create(DB, inB)).status()).contains(refusal);

    assertThat(controller.record(DB).map(CatalogEntry::spec)).contains(inA);
    reopen();
    controller.delete(DB);
    assertThat(plugin.contents().empty()).as("the volume in zone a is found").isTrue();
    assertThat(requests(CREATE_VOLUME).stream().map(it -> it.text("name")).distinct()).hasSize(1);
  }

  @Test
  void aVolumeWhoseAnswerFromAnotherPlaceIsTooLargeIsStillAskedForThere() {
    plugin(SHAPE.topologies(A, B));
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no room in zone a"),
        When.calling(CREATE_VOLUME).once());
    VolumeSpec inA = spec().topologies(TopologyRequirement.anyOf(Set.of(A))).build();
    VolumeSpec inB = spec().topologies(TopologyRequirement.anyOf(Set.of(B))).build();
    assertThat(failure(() -> controller.create(DB, inA)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(Fault.answer(Fault.WrongAnswer.OVERSIZED), When.calling(CREATE_VOLUME).once());

    ControllerException unread = failure(() -> controller.create(DB, inB));

    assertThat(unread.status()).contains(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(plugin.contents().volumes()).as("it is there").hasSize(1);
    assertThat(controller.record(DB).map(CatalogEntry::spec)).contains(inB);
    controller.delete(DB);
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void aVolumeThatTheFirstOfTwoAttemptsMayHaveMadeInAnotherPlaceIsStillAskedForThere() {
    plugin(SHAPE.topologies(A, B));
    controller.close();
    medium.crash();
    controller =
        builder()
            .settings(
                ControllerSettings.builder()
                    .policy(policy -> policy.attempts(2).backoff(Duration.ofMillis(1)))
                    .build())
            .open();
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no room in zone a"),
        When.calling(CREATE_VOLUME).once());
    VolumeSpec inA = spec().topologies(TopologyRequirement.anyOf(Set.of(A))).build();
    VolumeSpec inB = spec().topologies(TopologyRequirement.anyOf(Set.of(B))).build();
    assertThat(failure(() -> controller.create(DB, inA)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(
        Fault.applyThenFail(StatusCode.UNAVAILABLE, "gone"), When.calling(CREATE_VOLUME).once());
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no room in zone b"),
        When.calling(CREATE_VOLUME).once());

    ControllerException full = failure(() -> controller.create(DB, inB));

    assertThat(full.status()).contains(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(plugin.contents().volumes()).as("it is there").hasSize(1);
    assertThat(controller.record(DB).map(CatalogEntry::spec)).contains(inB);
    controller.delete(DB);
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void whyAnotherPlaceRefusesAVolumeIsToldAlsoIfTheFormerRequestCannotBeWritten() {
    plugin(SHAPE.topologies(A, B));
    AtomicBoolean isFull = new AtomicBoolean();
    controller.close();
    medium.crash();
    controller =
        builder()
            .secrets(
                name ->
                    operation -> {
                      if (isFull.get()) {
                        medium.refuse(StateException.Reason.STATE_DISK_FULL);
                      }
                      return Secrets.of(Map.of("key", "s3cr3t"));
                    })
            .open();
    VolumeSpec.Builder wanted = spec().secrets(PROD);
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no room in zone a"),
        When.calling(CREATE_VOLUME).once());
    VolumeSpec inA = wanted.topologies(TopologyRequirement.anyOf(Set.of(A))).build();
    VolumeSpec inB = wanted.topologies(TopologyRequirement.anyOf(Set.of(B))).build();
    assertThat(failure(() -> controller.create(DB, inA)).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "no zone b"), When.calling(CREATE_VOLUME).once());
    isFull.set(true);

    ControllerException refused = failure(() -> controller.create(DB, inB));

    assertThat(refused.status()).contains(StatusCode.INVALID_ARGUMENT);
    assertThat(refused.getSuppressed())
        .singleElement()
        .isInstanceOfSatisfying(
            ControllerException.class,
            unwritten -> assertThat(unwritten.code()).isEqualTo(OperatorCode.CATALOG_UNCONFIRMED));
    isFull.set(false);
    medium.accept();
    assertThat(controller.create(DB, inA).topologies()).containsExactly(A);
  }

  // ---- a machine without threads

  @Test
  void anOperationForWhichTheMachineGivesNoThreadFailsAndGivesItsTurnBack() {
    controller.close();
    medium.crash();
    OnDemandThreads threads = new OnDemandThreads("csi4j-volume-test");
    AtomicBoolean refuses = new AtomicBoolean(true);
    RegistryControllers controllers = world.controllers(threads);
    controller =
        new VolumeController(
            VolumeController.builder(world.registry(), LocalStore.on(medium.open())),
            controllers,
            new SystemClock(),
            threads,
            work -> {
              if (refuses.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              threads.execute(work);
            },
            () -> {
              threads.close();
              controllers.close();
            });

    CompletableFuture<CatalogVolume> first =
        controller.async().create(DB, spec().build()).toCompletableFuture();
    CatalogVolume made =
        Waits.on(controller.async().create(DB, spec().build()).toCompletableFuture());

    assertThat(made.key()).isEqualTo(DB);
    assertThat(first)
        .failsWithin(SECONDS)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(ControllerException.class)
        .withMessageContaining("no thread could be started for it");
  }

  // ---- delete

  @Test
  void whatWasMadeIsDeletedAndDeletingItAgainChangesNothing() {
    controller.create(DB, spec().secrets(PROD).build());
    controller.delete(DB);
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(request(DELETE_VOLUME).map("secrets")).containsOnlyKeys("key-of-prod");
    assertThat(controller.record(DB)).isEqualTo(Optional.empty());
    controller.delete(DB);
    assertThat(plugin.journal().calls(DELETE_VOLUME)).hasSize(1);
  }

  @Test
  void aVolumeThatIsClaimedIsNotDeletedAndItsHoldersAreNamed() {
    controller.create(DB, spec().build());
    claim(DB);
    ControllerException refused = failure(() -> controller.delete(DB));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(refused)
        .hasMessageContaining("workload 'web-1' on node 'n1' holds it (WRITE, TAKEN)");
    assertThat(plugin.journal().calls(DELETE_VOLUME)).isEmpty();
    assertThat(controller.volumes()).hasSize(1);
  }

  @Test
  void whereNobodyCanSayWhoHoldsAVolumeItIsNotDeleted() {
    controller.close();
    medium.crash();
    AtomicReference<Integer> asked = new AtomicReference<>(0);
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
            .claims(
                key -> {
                  if (asked.getAndUpdate(n -> n + 1) < 3) {
                    throw new IllegalStateException("no answer");
                  }
                  return Optional.empty();
                })
            .open();
    CatalogVolume made = controller.create(DB, spec().build());
    for (int i = 0; i < 3; i++) {
      ControllerException refused = failure(() -> controller.delete(DB));
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
      assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
      assertThat(controller.find(DB)).contains(made);
    }
    controller.delete(DB);
    assertThat(plugin.journal().calls(DELETE_VOLUME)).hasSize(1);
  }

  @Test
  void aVolumeThatIsClaimedWhileItIsBeingDeletedIsKept() {
    controller.close();
    medium.crash();
    AtomicReference<Integer> asked = new AtomicReference<>(0);
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
            .claims(
                key -> {
                  if (asked.getAndUpdate(n -> n + 1) == 1) {
                    claim(key);
                  }
                  return Optional.of(StoredClaims.in(claims).claim(key));
                })
            .open();
    CatalogVolume made = controller.create(DB, spec().build());

    assertThat(failure(() -> controller.delete(DB)).code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);

    assertThat(controller.find(DB)).contains(made);
    assertThat(plugin.journal().calls(DELETE_VOLUME)).isEmpty();
  }

  @Test
  void aVolumeThatTheStorageSystemDoesNotLetGoStaysAsItWas() {
    CatalogVolume made = controller.create(DB, spec().build());
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "has snapshots"),
        When.calling(DELETE_VOLUME).once());
    ControllerException refused = failure(() -> controller.delete(DB));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.status()).contains(StatusCode.FAILED_PRECONDITION);
    assertThat(controller.find(DB)).contains(made);
    assertThat(controller.pending()).isEmpty();
    controller.delete(DB);
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void anEphemeralVolumeStaysToBeDeletedWhateverTheStorageSystemSays() {
    controller.create(DB, spec().ephemeral(true).build());
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "not now"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(controller.find(DB)).isEqualTo(Optional.empty());
    assertThat(failure(() -> controller.create(DB, spec().ephemeral(true).build())).code())
        .isEqualTo(OperatorCode.VOLUME_BEING_DELETED);

    reopenHurried();
    Waits.until(() -> plugin.contents().empty() && controller.record(DB).isEmpty());
    assertThat(controller.pending()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "INVALID_ARGUMENT", "OUT_OF_RANGE"})
  void aVolumeWhoseIdThePluginRefusesToTellIsLeftToAPerson(StatusCode refusal) {
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    assertThat(failure(() -> controller.create(DB, spec().build())).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(Fault.fail(refusal, "not like this"), When.calling(CREATE_VOLUME));
    ControllerException left = failure(() -> controller.delete(DB));
    assertThat(left.outcome()).isEqualTo(ChangeOutcome.HELD);
    assertThat(left.code()).isEqualTo(OperatorCode.VOLUME_MAY_BE_LEFT);
    assertThat(left).hasMessageContaining(request(CREATE_VOLUME).text("name"));
    assertThat(plugin.contents().empty()).as("the first attempt made it").isFalse();
    assertThat(controller.pending()).containsExactly(DB);
    assertThat(controller.deregister(DB)).isTrue();
    assertThat(controller.pending()).isEmpty();
  }

  @Test
  void aDeletionThatNeededAPersonGoesOnOnceAnOperationOnTheVolumeHasEnded() {
    VirtualTime time = reopenOnVirtualTime();
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    assertThat(failure(() -> controller.create(DB, spec().build())).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(
        Fault.fail(StatusCode.NOT_FOUND, "the source is gone"), When.calling(CREATE_VOLUME));
    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.HELD);
    time.pass(firstPause);
    int asked = plugin.journal().calls(CREATE_VOLUME).size();
    time.pass(firstPause);
    assertThat(plugin.journal().calls(CREATE_VOLUME)).as("it needs a person").hasSize(asked);

    plugin.clearFaults();
    assertThat(failure(() -> controller.create(DB, spec().build())).code())
        .isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
    time.pass(firstPause);

    assertThat(plugin.contents().empty()).isTrue();
    assertThat(controller.record(DB)).isEqualTo(Optional.empty());
    assertThat(time.waiting()).isZero();
  }

  @Test
  @Tag("D-59")
  void nothingOfANamespaceIsOnRecordWhenItsLastVolumeIsGone() {
    VolumeKey first = VolumeKey.of(Namespace.of("tenant"), "first");
    VolumeKey second = VolumeKey.of(Namespace.of("tenant"), "second");
    controller.create(first, spec().build());
    controller.create(second, spec().build());
    controller.delete(first);
    controller.delete(second);

    controller.close();
    medium.crash();
    try (StateStore state = medium.open()) {
      assertThat(state.load().values().keySet())
          .containsExactlyInAnyOrder(LocalRecords.IDENTITY, LocalRecords.FLOOR);
    }
    controller = open();
  }

  // ---- register

  private CatalogVolume existing(VolumeId id, VolumeContext context) {
    return CatalogVolume.builder(DB, spec().secrets(PROD).build(), id).context(context).build();
  }

  @Test
  void aVolumeThatWasThereIsRegisteredIfItsPluginAgreesAndForgottenWithoutBeingDeleted() {
    VolumeContext context = VolumeContext.of(Map.of("part", "1"));
    VolumeId there = VolumeId.of("old-1");
    plugin.addVolume(there, CapacityRange.exactly(1 << 20), context);

    CatalogVolume registered = controller.register(existing(there, context));

    assertThat(registered.provider()).contains(SHAPE.name());
    assertThat(request(VALIDATE_VOLUME_CAPABILITIES).map("volume_context"))
        .containsExactly(Map.entry("part", "1"));
    assertThat(request(VALIDATE_VOLUME_CAPABILITIES).map("secrets"))
        .containsOnlyKeys("key-of-prod");
    assertThat(controller.register(existing(there, context))).isEqualTo(registered);
    assertThat(failure(() -> controller.delete(DB)).code()).isEqualTo(OperatorCode.VOLUME_NOT_OURS);
    assertThat(controller.deregister(DB)).isTrue();
    assertThat(controller.deregister(DB)).isFalse();
    assertThat(plugin.contents().volumes()).containsExactly(there);
  }

  @Test
  void anotherDescriptionOfARegisteredVolumeChangesItsRecordWhenThePluginAgrees() {
    VolumeId there = VolumeId.of("old-1");
    plugin.addVolume(there);
    CatalogVolume registered = controller.register(existing(there, VolumeContext.empty()));
    CatalogVolume wanted =
        registered.as(
            registered.spec().toBuilder()
                .mountOptions(MountOptions.none().withFlags(MountFlags.of("noatime")))
                .use(AccessMode.SINGLE_NODE_READER_ONLY, AttachmentMode.FILESYSTEM)
                .secrets(SecretsReference.of("other"))
                .build());

    CatalogVolume changed = controller.register(wanted);

    assertThat(changed).isEqualTo(wanted);
    assertThat(controller.find(DB)).contains(wanted);
    assertThat(requests(VALIDATE_VOLUME_CAPABILITIES)).hasSize(2);
    reopen();
    assertThat(controller.find(DB)).contains(wanted);
    assertThat(controller.register(registered)).as("back again").isEqualTo(registered);

    CatalogVolume moved =
        registered.toBuilder().context(VolumeContext.of(Map.of("part", "2"))).build();
    assertThat(controller.register(moved)).isEqualTo(moved);

    plugin(SHAPE.accessTypes(false, true));
    plugin.addVolume(there);
    validating(ValidationResult.Policy.STRICT);
    assertThat(failure(() -> controller.register(wanted)).code())
        .isEqualTo(OperatorCode.VOLUME_NOT_CONFIRMED);
    assertThat(controller.find(DB)).contains(moved);
  }

  @Test
  void whileAWorkloadHoldsARegisteredVolumeOnlyItsSecretsAreChanged() {
    VolumeId there = VolumeId.of("old-1");
    plugin.addVolume(there);
    CatalogVolume registered = controller.register(existing(there, VolumeContext.empty()));
    claim(DB);
    VolumeSpec spec = registered.spec();

    CatalogVolume secret =
        registered.as(spec.toBuilder().secrets(SecretsReference.of("other")).build());
    assertThat(controller.register(secret)).isEqualTo(secret);

    ControllerException held =
        failure(
            () ->
                controller.register(
                    registered.as(
                        spec.toBuilder()
                            .mountOptions(MountOptions.none().withFlags(MountFlags.of("noatime")))
                            .build())));
    assertThat(held.code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(held.operatorMessage().seen().text())
        .isEqualTo("workload 'web-1' on node 'n1' holds it (WRITE, TAKEN)");
    assertThat(controller.find(DB)).contains(secret);
  }

  @Test
  void whatCannotChangeOfAVolumeIsNamedWithBothValues() {
    VolumeId there = VolumeId.of("old-1");
    plugin.addVolume(there);
    CatalogVolume registered = controller.register(existing(there, VolumeContext.empty()));
    VolumeSpec spec = registered.spec();

    for (Map.Entry<CatalogVolume, String> each :
        Map.of(
                existing(VolumeId.of("old-2"), VolumeContext.empty()),
                "'default/db' is recorded with id 'old-1'",
                registered.as(spec.toBuilder().parameters(Map.of("tier", "s3cr3t")).build()),
                "'default/db' is recorded with other parameters",
                registered.as(spec.toBuilder().ephemeral(true).build()),
                "'default/db' is recorded as a persistent volume",
                registered.as(spec.toBuilder().cloneOf(VolumeId.of("v")).build()),
                "'default/db' is recorded with another source")
            .entrySet()) {
      ControllerException refused = failure(() -> controller.register(each.getKey()));
      assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_KNOWN_OTHERWISE);
      assertThat(refused.operatorMessage().seen().text()).isEqualTo(each.getValue());
    }
    assertThat(controller.find(DB)).contains(registered);
  }

  @Test
  void aVolumeThatWasModifiedOrGrownSinceIsTheSameWhenItIsRegisteredAgain() {
    VolumeId there = VolumeId.of("old-1");
    plugin.addVolume(there);
    CatalogVolume asked = existing(there, VolumeContext.empty());
    controller.register(asked);
    controller.modify(DB, Map.of("iops", "100"));
    controller.expand(DB, CapacityRange.atLeast(8L << 30));
    CatalogVolume now = controller.find(DB).orElseThrow();

    assertThat(controller.register(asked)).isEqualTo(now);
    assertThat(controller.find(DB)).contains(now);
  }

  @Test
  void aVolumeThatThePluginDoesNotKnowOrNotSoIsNotRegistered() {
    ControllerException unknown =
        failure(() -> controller.register(existing(VolumeId.of("nowhere"), VolumeContext.empty())));
    assertThat(unknown.status()).contains(StatusCode.NOT_FOUND);

    plugin(SHAPE.accessTypes(false, true));
    validating(ValidationResult.Policy.STRICT);
    VolumeId there = VolumeId.of("old-1");
    plugin.addVolume(there);
    ControllerException refused =
        failure(() -> controller.register(existing(there, VolumeContext.empty())));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_NOT_CONFIRMED);
    assertThat(refused).hasMessageContaining(": the plugin says: \"");
    assertThat(controller.volumes()).isEmpty();
  }

  /** Opens the controller again under this policy. */
  private void validating(ValidationResult.Policy policy) {
    controller.close();
    medium.crash();
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
            .validation(policy)
            .told(told::add)
            .open();
  }

  @Test
  void strictlyAVolumeIsRegisteredOnlyIfItsUseIsConfirmed() {
    plugin(SHAPE.with(Quirk.CONFIRMED_LEFT_OUT));
    validating(ValidationResult.Policy.STRICT);
    VolumeId there = VolumeId.of("old-1");
    plugin.addVolume(there);
    ControllerException refused =
        failure(() -> controller.register(existing(there, VolumeContext.empty())));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_NOT_CONFIRMED);
    assertThat(controller.volumes()).isEmpty();
  }

  @Test
  void aPluginThatConfirmsNothingAndSaysNothingIsNoObstacle() {
    plugin(SHAPE.with(Quirk.CONFIRMED_LEFT_OUT));
    plugin.addVolume(VolumeId.of("old-1"));
    CatalogVolume there = existing(VolumeId.of("old-1"), VolumeContext.empty());
    assertThat(controller.register(there).id()).isEqualTo(there.id());
  }

  @Test
  void nomadS16_aPluginThatConfirmsNothingAndSaysWhyIsNoObstacleAndItsWordsAreTold() {
    plugin(SHAPE.with(Quirk.CONFIRMED_LEFT_OUT_WITH_MESSAGE));
    plugin.addVolume(VolumeId.of("old-1"));
    CatalogVolume there = existing(VolumeId.of("old-1"), VolumeContext.empty());
    assertThat(controller.register(there).id()).isEqualTo(there.id());
    assertThat(told)
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.code()).isEqualTo(OperatorCode.VALIDATION_UNANSWERED);
              assertThat(message.seen().text())
                  .isEqualTo("the plugin says: \"Validating volumes is not implemented yet.\"");
            });
  }

  @Test
  void nomadS07_whatIsConfirmedInPartIsRegisteredOnlyByLenience() {
    plugin(SHAPE.with(Quirk.ONLY_ACCESS_MODE_CONFIRMED));
    plugin.addVolume(VolumeId.of("old-1"));
    CatalogVolume there = existing(VolumeId.of("old-1"), VolumeContext.empty());
    ControllerException refused = failure(() -> controller.register(there));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_NOT_CONFIRMED);
    assertThat(refused.violations())
        .extracting(Object::toString)
        .containsExactly(
            "volume_capabilities[0].access_type asked mount, confirmed no access type");
    assertThat(controller.volumes()).isEmpty();

    validating(ValidationResult.Policy.LENIENT);
    assertThat(controller.register(there).id()).isEqualTo(there.id());
    assertThat(told)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.VALIDATION_UNANSWERED);
  }

  @Test
  void aVolumeThatIsHeldIsNotForgotten() {
    plugin.addVolume(VolumeId.of("old-1"));
    controller.register(existing(VolumeId.of("old-1"), VolumeContext.empty()));
    claim(DB);
    assertThat(failure(() -> controller.deregister(DB)).code())
        .isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(controller.volumes()).hasSize(1);
  }

  private static AttachmentTask attaching() {
    return new AttachmentTask(
        DB,
        NodeId.of("node-1"),
        new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
        false);
  }

  @Test
  void aVolumeThatIsClaimedWhileItIsBeingForgottenStaysOnRecord() {
    controller.close();
    medium.crash();
    AtomicBoolean claimed = new AtomicBoolean();
    controller =
        builder()
            .claims(
                key -> {
                  Optional<Claim> seen = Optional.of(StoredClaims.in(claims).claim(key));
                  if (claimed.getAndSet(false)) {
                    claim(DB);
                  }
                  return seen;
                })
            .open();
    controller.create(DB, spec().build());
    claimed.set(true);

    assertThat(failure(() -> controller.deregister(DB)).code())
        .isEqualTo(OperatorCode.VOLUME_CLAIMED);

    assertThat(controller.volumes()).hasSize(1);
    assertThat(controller.attachments().attach(attaching(), () -> true))
        .isInstanceOf(ControllerAnswer.Attached.class);
  }

  @Test
  void aVolumeIsNotAttachedForAClaimThatBeginsWhenItIsForgotten() {
    controller.close();
    medium.crash();
    AtomicInteger looks = new AtomicInteger();
    List<ControllerAnswer> answers = new ArrayList<>();
    controller =
        builder()
            .claims(
                key -> {
                  Optional<Claim> seen = Optional.of(StoredClaims.in(claims).claim(key));
                  if (looks.incrementAndGet() == 2) {
                    answers.add(controller.attachments().attach(attaching(), () -> true));
                  }
                  return seen;
                })
            .open();
    controller.create(DB, spec().build());
    looks.set(0);

    assertThat(controller.deregister(DB)).isTrue();

    assertThat(answers)
        .singleElement()
        .isInstanceOfSatisfying(
            ControllerAnswer.Failed.class,
            failed -> {
              assertThat(failed.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
              assertThat(failed.because().text()).contains("is not recorded, or is being");
            });
    assertThat(requests(CsiOperation.CONTROLLER_PUBLISH_VOLUME)).isEmpty();
  }

  // ---- snapshots that are owed

  @Test
  void aSnapshotOfWhichNobodyKnowsIsOwedUntilItIsFoundOrDropped() {
    CatalogVolume made = controller.create(DB, spec().build());
    loseSnapshot();
    reopen();
    assertThat(controller.pending()).containsExactly(DB);
    assertThat(controller.record(DB).orElseThrow().pendingSnapshots())
        .extracting(CatalogEntry.PendingSnapshot::name)
        .containsExactly("nightly");
    ControllerException refused = failure(() -> controller.delete(DB));
    assertThat(refused.code()).isEqualTo(OperatorCode.SNAPSHOT_OWED);
    assertThat(refused).hasMessageContaining("snapshot 'nightly' was requested");
    assertThat(failure(() -> controller.deregister(DB)).code())
        .isEqualTo(OperatorCode.SNAPSHOT_OWED);
    assertThat(controller.expand(DB, CapacityRange.atLeast(5 << 20)).id()).isEqualTo(made.id());
    assertThat(controller.modify(DB, Map.of("iops", "2")).id()).isEqualTo(made.id());
    assertThat(controller.pending()).containsExactly(DB);

    Snapshot found = controller.createSnapshot(DB, NIGHTLY, Map.of());
    assertThat(plugin.contents().snapshots()).containsExactly(found.id());
    assertThat(controller.pending()).isEmpty();
    controller.deleteSnapshot(made.plugin(), found, Optional.empty());

    loseSnapshot();
    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();
    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isFalse();
    assertThat(plugin.contents().snapshots()).isEmpty();
    assertThat(controller.pending()).isEmpty();
    controller.delete(DB);
  }

  @Test
  void aSnapshotThatBeginsWhileItsVolumeIsBeingForgottenIsNotLost() {
    controller.close();
    medium.crash();
    AtomicBoolean loses = new AtomicBoolean();
    controller =
        builder()
            .claims(
                key -> {
                  if (loses.getAndSet(false)) {
                    loseSnapshot();
                  }
                  return Optional.of(StoredClaims.in(claims).claim(key));
                })
            .open();
    controller.create(DB, spec().build());
    loses.set(true);

    assertThat(failure(() -> controller.deregister(DB)).code())
        .isEqualTo(OperatorCode.SNAPSHOT_OWED);

    assertThat(controller.pending()).containsExactly(DB);
    assertThat(controller.dropSnapshot(DB, NIGHTLY)).isTrue();
    loses.set(true);
    ClaimOverride.Person ada = new ClaimOverride.Person("ada@example.com");
    assertThat(controller.deregister(DB, ada, new ReasonText("the array was taken away"))).isTrue();
    assertThat(told.element().seen().text()).endsWith("; snapshot 'nightly' was requested");
  }

  /** A store in which the hold of a deletion waits for the test, and may get no answer. */
  private static final class SlowHold extends PassingStore {
    private final CompletableFuture<Done> asked = new CompletableFuture<>();
    private final CompletableFuture<Done> allowed = new CompletableFuture<>();
    private final AtomicBoolean isLost = new AtomicBoolean();

    SlowHold(RecordStore store) {
      super(store);
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      Claim next = StoredClaims.next(writes.get(0));
      if (next.holder(Claim.DELETION).isPresent()) {
        asked.complete(Done.DONE);
        Waits.on(allowed);
        if (isLost.get()) {
          return new WriteResult.Unknown(new ReasonText("the answer was lost"));
        }
      }
      return super.write(writes);
    }
  }

  private SlowHold openWithSlowHold() {
    SlowHold slow = new SlowHold(claims);
    controller.close();
    medium.crash();
    controller = builder().claims(slow).open();
    controller.create(DB, spec().build());
    return slow;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noSnapshotBeginsWhileADeletionTakesItsHold(boolean isLost) {
    firstPause = Duration.ofMillis(100);
    SlowHold slow = openWithSlowHold();
    slow.isLost.set(isLost);
    CompletableFuture<Void> deleted = controller.async().delete(DB).toCompletableFuture();
    Waits.on(slow.asked);

    ControllerException refused = failure(() -> controller.createSnapshot(DB, NIGHTLY, Map.of()));
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);

    slow.allowed.complete(Done.DONE);
    if (isLost) {
      assertThatThrownBy(() -> Waits.on(deleted))
          .cause()
          .isInstanceOfSatisfying(
              ControllerException.class,
              failed -> assertThat(failed.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED));
      slow.isLost.set(false);
    } else {
      Waits.on(deleted);
    }
    Waits.until(() -> controller.record(DB).isEmpty());
    assertThat(StoredClaims.in(claims).claim(DB).holder(Claim.DELETION))
        .isEqualTo(Optional.empty());
    assertThat(plugin.journal().calls(CREATE_SNAPSHOT)).isEmpty();
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void aSnapshotBeginsAgainOnceADeletionIsRefused() {
    SlowHold slow = openWithSlowHold();
    CompletableFuture<Void> deleted = controller.async().delete(DB).toCompletableFuture();
    Waits.on(slow.asked);
    claim(DB);
    slow.allowed.complete(Done.DONE);
    assertThatThrownBy(() -> Waits.on(deleted))
        .cause()
        .isInstanceOfSatisfying(
            ControllerException.class,
            failed -> assertThat(failed.code()).isEqualTo(OperatorCode.VOLUME_CLAIMED));

    Snapshot cut = controller.createSnapshot(DB, NIGHTLY, Map.of());
    assertThat(plugin.contents().snapshots()).containsExactly(cut.id());
    reopen();
    assertThat(controller.find(DB)).isPresent();
  }

  /** A store of claims that becomes another one while it writes the hold of a deletion. */
  private static final class RestoredStore extends PassingStore {
    private final StoreIdentity another = new StoreIdentity("promoted");
    private final AtomicBoolean isAnother = new AtomicBoolean();

    RestoredStore(RecordStore store) {
      super(store);
    }

    @Override
    public StoreIdentity identity() {
      return isAnother.get() ? another : super.identity();
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      boolean holds =
          writes.stream()
              .anyMatch(each -> StoredClaims.next(each).holder(Claim.DELETION).isPresent());
      isAnother.set(holds || isAnother.get());
      return super.write(writes);
    }
  }

  @Test
  void aDeletionWhoseHoldIsWrittenToAnotherStoreStaysOnRecordUntilItsHoldCanBeEnded() {
    controller.close();
    medium.crash();
    firstPause = Duration.ofMillis(100);
    controller = builder().claims(new RestoredStore(claims)).open();
    controller.create(DB, spec().build());

    ControllerException undecided = failure(() -> controller.delete(DB));

    assertThat(undecided.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(undecided.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    assertThat(StoredClaims.in(claims).claim(DB).holder(Claim.DELETION)).isPresent();
    assertThat(controller.pending()).containsExactly(DB);
    Waits.until(() -> !controller.held().isEmpty() && !told.isEmpty());
    assertThat(told)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.CLAIM_STORE_WENT_BACK);
    assertThat(controller.deregister(DB)).isTrue();
    assertThat(StoredClaims.in(claims).claim(DB).holders()).isEmpty();
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  private void loseSnapshot() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_SNAPSHOT).once());
    assertThat(failure(() -> controller.createSnapshot(DB, NIGHTLY, Map.of())).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(plugin.contents().snapshots()).hasSize(1);
  }

  @Test
  void aSnapshotThatIsRefusedIsNotOwed() {
    controller.create(DB, spec().build());
    plugin.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "no"), When.calling(CREATE_SNAPSHOT).once());
    assertThat(failure(() -> controller.createSnapshot(DB, NIGHTLY, Map.of())).outcome())
        .isEqualTo(ChangeOutcome.REFUSED);
    assertThat(controller.pending()).isEmpty();
  }

  @Test
  void aGroupOfWhichNobodyKnowsIsOwedByAllItsVolumesAndDroppedByOne() {
    VolumeKey other = VolumeKey.of("other");
    controller.create(DB, spec().build());
    controller.create(other, spec().build());
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME_GROUP_SNAPSHOT).once());
    assertThat(
            failure(() -> controller.createGroupSnapshot(Set.of(DB, other), NIGHTLY, Map.of()))
                .outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    reopen();
    assertThat(controller.pending()).containsExactly(DB, other);
    assertThat(controller.dropSnapshot(other, NIGHTLY)).isTrue();
    assertThat(controller.pending()).isEmpty();
    assertThat(plugin.contents().snapshots()).isEmpty();
  }

  // ---- many volumes, and a person

  private CatalogVolume found(String name, Namespace namespace) {
    VolumeKey key = VolumeKey.of(namespace, name);
    CatalogVolume made = controller.create(key, spec().build());
    controller.deregister(key);
    return CatalogVolume.builder(key, made.spec(), made.id()).context(made.context()).build();
  }

  @Test
  void manyVolumesAreRegisteredAndForgottenAndOneThatFailsKeepsNoOtherBack() {
    List<CatalogVolume> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(found("v" + i, Namespace.DEFAULT));
    }
    CatalogVolume unknown =
        CatalogVolume.builder(VolumeKey.of("no"), spec().build(), VolumeId.of("none")).build();
    all.add(7, unknown);

    Map<VolumeKey, ControllerException> failed = controller.registerAll(all);

    assertThat(failed).containsOnlyKeys(unknown.key());
    assertThat(failed.get(unknown.key()).status()).contains(StatusCode.NOT_FOUND);
    assertThat(controller.volumes()).hasSize(20);
    claim(VolumeKey.of("v3"));
    List<VolumeKey> keys = all.stream().map(CatalogVolume::key).toList();
    assertThat(controller.deregisterAll(keys)).containsOnlyKeys(VolumeKey.of("v3"));
    assertThat(controller.volumes())
        .extracting(CatalogVolume::key)
        .containsExactly(VolumeKey.of("v3"));
    assertThat(plugin.contents().volumes()).hasSize(20);
  }

  @Test
  void aVolumeThatSaysItWasMadeHereIsRefusedAndTheOthersOfItsBatchAreRegistered() {
    List<CatalogVolume> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(found("v" + i, Namespace.DEFAULT));
    }
    CatalogVolume made = all.get(1).toBuilder().origin(CatalogVolume.Origin.CREATED).build();
    all.set(1, made);

    Map<VolumeKey, ControllerException> failed = controller.registerAll(all);

    assertThat(failed).containsOnlyKeys(made.key());
    for (ControllerException refused :
        List.of(failed.get(made.key()), failure(() -> controller.register(made)))) {
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
      assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
      assertThat(refused.operatorMessage().seen().text())
          .isEqualTo(
              "the origin of 'default/v1' is CREATED, but a volume that existed before has the"
                  + " origin REGISTERED");
    }
    assertThat(controller.volumes())
        .extracting(each -> each.key().id())
        .containsExactly("v0", "v2", "v3");
  }

  private List<VolumeSummary> listed() {
    PluginView well = PluginView.of(ID, Map.of(), new ExpectedInstances(1, 1));
    return controller.summaries(VolumeFilter.all(), PageRequest.first(), id -> well).volumes();
  }

  @Test
  void changesThatAreAbandonedAreNotAskedForAgain() {
    VirtualTime time = reopenOnVirtualTime();
    CatalogVolume made = controller.create(DB, spec().build());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "the pool is full"),
        When.calling(CONTROLLER_EXPAND_VOLUME));
    plugin.inject(
        Fault.fail(StatusCode.DEADLINE_EXCEEDED, "slow"), When.calling(CONTROLLER_MODIFY_VOLUME));
    CapacityRange large = CapacityRange.atLeast(8L << 30);
    failure(() -> controller.modify(DB, Map.of("iops", "100")));
    failure(() -> controller.expand(DB, large));
    List<VolumeChange> pending = controller.changes(DB);
    assertThat(pending)
        .extracting(each -> each.request().toString(), VolumeChange::seen)
        .containsExactly(
            tuple(
                "size " + large,
                "the plugin reports that it is unavailable now (UNAVAILABLE to"
                    + " ControllerExpandVolume:"
                    + " the pool is full)"),
            tuple(
                "parameters [iops]",
                "no answer came within the time allowed (DEADLINE_EXCEEDED to"
                    + " ControllerModifyVolume: slow)"));
    assertThat(controller.pending()).containsExactly(DB);

    assertThat(controller.abandon(DB)).isEqualTo(pending);

    CatalogVolume left =
        made.grown(made.capacityBytes(), Optional.of(CapacityRange.atLeast(1 << 20)));
    assertThat(controller.find(DB)).contains(left);
    assertThat(controller.changes(DB))
        .as("the last attempt may have come through")
        .extracting(VolumeChange::progress)
        .containsExactly(VolumeChange.Progress.PENDING_ON_NODE);
    assertThat(controller.pending()).isEmpty();
    int asked = plugin.journal().calls().size();
    time.pass(Duration.ofDays(2));
    assertThat(plugin.journal().calls()).hasSize(asked);
    assertThat(controller.abandon(DB)).isEmpty();
    reopen();
    assertThat(controller.find(DB)).contains(left);
  }

  @Test
  void aDeletionIsNotAbandoned() {
    controller.create(DB, spec().build());
    plugin.inject(Fault.fail(StatusCode.DEADLINE_EXCEEDED, "slow"), When.calling(DELETE_VOLUME));
    failure(() -> controller.delete(DB));

    assertThat(failure(() -> controller.abandon(DB)).code())
        .isEqualTo(OperatorCode.VOLUME_BEING_DELETED);
    assertThat(controller.pending()).containsExactly(DB);
  }

  @Test
  void aDeletionThatIsRefusedWhenNobodyWaitsIsReported() {
    VirtualTime time = reopenOnVirtualTime();
    CatalogVolume made = controller.create(DB, spec().build());
    plugin.inject(
        Fault.fail(StatusCode.DEADLINE_EXCEEDED, "slow"), When.calling(DELETE_VOLUME).once());
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "has snapshots"),
        When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(listed())
        .as("one that is being deleted is listed")
        .extracting(VolumeSummary::state)
        .containsExactly(VolumeSummary.State.DELETING);
    assertThat(listed().get(0).id()).contains(made.id());

    time.pass(firstPause);

    assertThat(told)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.CONTROLLER_CALL_REFUSED);
    assertThat(told.element().line()).contains("has snapshots");
    assertThat(controller.find(DB)).as("the first call may have deleted it").isEmpty();
    assertThat(listed())
        .extracting(VolumeSummary::state)
        .containsExactly(VolumeSummary.State.DELETING);

    time.pass(firstPause.multipliedBy(2));
    assertThat(controller.record(DB)).isEmpty();
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Test
  void aDeletionThatWaitsForAPersonIsReportedListedAndGoesOnWhenItIsResumed() {
    VirtualTime time = reopenOnVirtualTime();
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    assertThat(failure(() -> controller.create(DB, spec().build())).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    plugin.inject(
        Fault.fail(StatusCode.NOT_FOUND, "the source is gone"), When.calling(CREATE_VOLUME));
    assertThat(failure(() -> controller.delete(DB)).outcome()).isEqualTo(ChangeOutcome.HELD);

    time.pass(firstPause);

    assertThat(told)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.VOLUME_MAY_BE_LEFT);
    assertThat(controller.held()).containsExactly(DB);
    VolumeChange held = controller.changes(DB).get(0);
    assertThat(held.request()).hasToString("deletion");
    assertThat(held.progress()).isEqualTo(VolumeChange.Progress.HELD);
    assertThat(held.seen()).isEqualTo(told.element().line()).contains("the source is gone");
    assertThat(held.next())
        .isEqualTo(
            "Do what the message says, then call resume; or deregister the volume, which keeps it"
                + " at the storage system.");
    assertThat(listed()).extracting(VolumeSummary::changes).containsExactly(List.of(held));
    assertThat(listed().get(0).id()).isEmpty();
    assertThat(listed().get(0).writers()).as("its own hold is no writer").isZero();
    assertThat(failure(() -> controller.resume(DB)).code())
        .isEqualTo(OperatorCode.VOLUME_MAY_BE_LEFT);

    plugin.clearFaults();
    controller.resume(DB);

    assertThat(plugin.contents().empty()).isTrue();
    assertThat(listed()).isEmpty();
    assertThat(controller.held()).isEmpty();
    controller.resume(DB);
    assertThat(controller.pending()).isEmpty();
  }

  @Test
  void aPersonMayHaveAVolumeForgottenThatIsHeldAndIsNamedWithTheHolders() {
    CatalogVolume made = controller.create(DB, spec().build());
    claim(DB);
    assertThat(failure(() -> controller.deregister(DB)).code())
        .isEqualTo(OperatorCode.VOLUME_CLAIMED);

    ClaimOverride.Person ada = new ClaimOverride.Person("ada@example.com");
    ReasonText gone = new ReasonText("the array was taken away");
    assertThat(controller.deregister(DB, ada, gone)).isTrue();

    assertThat(controller.find(DB)).isEmpty();
    assertThat(plugin.contents().volumes()).containsExactly(made.id());
    assertThat(StoredClaims.in(claims).claim(DB).holders()).as("claims stay").hasSize(1);
    assertThat(told).hasSize(1);
    assertThat(told.element().code()).isEqualTo(OperatorCode.VOLUME_FORGOTTEN);
    assertThat(told.element().seen().text())
        .isEqualTo(
            "ada@example.com requested it: the array was taken away; workload 'web-1' on node 'n1'"
                + " holds it (WRITE, TAKEN)");
    assertThat(controller.deregister(DB, ada, gone)).isFalse();
    assertThat(told).hasSize(1);
    reopen();
    assertThat(controller.find(DB)).isEmpty();
  }

  private List<VolumeSummary> listed(VolumeFilter wanted) {
    PluginView well = PluginView.of(ID, Map.of(), new ExpectedInstances(1, 1));
    return controller.summaries(wanted, PageRequest.first(), id -> well).volumes();
  }

  @Test
  void theClaimsOfAPageAreReadTogether() {
    for (int i = 10; i < 30; i++) {
      controller.create(VolumeKey.of("v" + i), spec().build());
    }
    List<String> held = List.of("v10", "v13", "v20", "v28");
    held.forEach(each -> claim(VolumeKey.of(each)));
    claim(VolumeKey.of("v131")); // of no volume on record
    AtomicInteger asked = new AtomicInteger();
    controller.close();
    medium.crash();
    RecordStore counting =
        new PassingStore(claims) {
          @Override
          public Optional<StoredRecord> read(RecordKey key) {
            asked.incrementAndGet();
            return super.read(key);
          }

          @Override
          public RecordStore.Page scan(
              RecordKey.Space space, Optional<RecordKey> after, int limit) {
            asked.incrementAndGet();
            return super.scan(space, after, limit);
          }
        };
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(medium.open()))
            .claims(counting)
            .open();
    asked.set(0);

    List<VolumeSummary> all = listed();

    assertThat(all).hasSize(20);
    assertThat(all.stream().filter(each -> each.writers() == 1).map(each -> each.key().id()))
        .containsExactlyElementsOf(held);
    assertThat(asked).hasValue(2);
    VolumeFilter some = VolumeFilter.all().withPrefix("v2");
    assertThat(listed(some).stream().filter(each -> each.writers() == 1))
        .extracting(each -> each.key().id())
        .containsExactly("v20", "v28");
  }

  @Test
  void volumesAreListedByTheBeginningOfTheirIdAndTheirState() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    assertThat(failure(() -> controller.create(VolumeKey.of("db-1"), spec().build())).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    controller.create(VolumeKey.of("db-2"), spec().build());
    controller.create(VolumeKey.of("web"), spec().build());
    plugin.inject(
        Fault.fail(StatusCode.DEADLINE_EXCEEDED, "slow"), When.calling(DELETE_VOLUME).once());
    assertThat(failure(() -> controller.delete(VolumeKey.of("web"))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);

    assertThat(listed(VolumeFilter.all()))
        .extracting(each -> each.key().id(), VolumeSummary::state)
        .containsExactly(
            tuple("db-1", VolumeSummary.State.CREATING),
            tuple("db-2", VolumeSummary.State.PRESENT),
            tuple("web", VolumeSummary.State.DELETING));
    assertThat(listed(VolumeFilter.all().withPrefix("db-")))
        .extracting(each -> each.key().id())
        .containsExactly("db-1", "db-2");
    assertThat(
            listed(
                VolumeFilter.all()
                    .inState(VolumeSummary.State.CREATING, VolumeSummary.State.DELETING)))
        .extracting(each -> each.key().id())
        .containsExactly("db-1", "web");
    assertThat(listed(VolumeFilter.all().withPrefix("db-").inState(VolumeSummary.State.CREATING)))
        .extracting(VolumeSummary::id)
        .containsExactly(Optional.empty());
  }

  @Test
  void aListSaysWhenAVolumeCameOnRecordAndWasChangedLast() {
    VirtualTime time = new VirtualTime();
    reopenOn(time, time);
    Instant begin = time.wall();
    controller.create(DB, spec().build());
    VolumeSummary.Written made = listed().get(0).written();
    assertThat(made.created()).contains(begin);
    assertThat(made.changed()).contains(begin);

    time.pass(Duration.ofMinutes(1));
    controller.expand(DB, CapacityRange.atLeast(8L << 30));
    VolumeSummary.Written grown = listed().get(0).written();
    assertThat(grown.created()).contains(begin);
    assertThat(grown.changed()).contains(begin.plus(Duration.ofMinutes(1)));
    assertThat(grown.version()).isGreaterThan(made.version());

    reopen();
    assertThat(listed().get(0).written().created()).contains(begin);
    assertThat(listed().get(0).written().changed()).contains(begin.plus(Duration.ofMinutes(1)));
  }

  @Test
  void volumesAreListedByPluginAndNamespaceInPages() {
    Namespace shop = Namespace.of("shop:1/x");
    for (String name : List.of("b", "a", "c")) {
      controller.create(VolumeKey.of(name), spec().build());
      controller.create(VolumeKey.of(shop, name), spec().build());
    }
    claim(VolumeKey.of("a"));
    PluginView well = PluginView.of(ID, Map.of(), new ExpectedInstances(1, 1));

    VolumeSummary.Page first =
        controller.summaries(
            VolumeFilter.all().ofPlugin(ID).inNamespace(shop),
            new PageRequest(2, Optional.empty()),
            id -> well);
    assertThat(first.volumes())
        .extracting(VolumeSummary::key)
        .containsExactly(VolumeKey.of(shop, "a"), VolumeKey.of(shop, "b"));
    controller.delete(VolumeKey.of(shop, "b"));
    VolumeSummary.Page second =
        controller.summaries(
            VolumeFilter.all().ofPlugin(ID).inNamespace(shop),
            new PageRequest(2, first.next()),
            id -> well);
    assertThat(second.volumes())
        .extracting(VolumeSummary::key)
        .containsExactly(VolumeKey.of(shop, "c"));
    assertThat(second.next()).isEmpty();
    assertThat(
            controller
                .summaries(
                    VolumeFilter.all(),
                    new PageRequest(Integer.MAX_VALUE, Optional.empty()),
                    id -> well)
                .volumes())
        .hasSize(5);

    List<VolumeSummary> all =
        controller.summaries(VolumeFilter.all(), PageRequest.first(), id -> well).volumes();
    assertThat(all)
        .extracting(each -> each.key().toString())
        .containsExactly("default/a", "default/b", "default/c", shop + "/a", shop + "/c");
    assertThat(all).extracting(VolumeSummary::writers).containsExactly(1, 0, 0, 0, 0);
    assertThat(all)
        .extracting(VolumeSummary::capabilities)
        .containsOnly(Set.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)));
    assertThat(all)
        .extracting(VolumeSummary::providerVersion)
        .containsOnly(Optional.of(SHAPE.vendorVersion()));
    assertThat(
            controller
                .summaries(
                    VolumeFilter.all().ofPlugin(PluginId.of("other")),
                    PageRequest.first(),
                    id -> well)
                .volumes())
        .isEmpty();
    for (String token : List.of("", "x", "99:a", "3:abc")) {
      assertThat(
              failure(
                      () ->
                          controller.summaries(
                              VolumeFilter.all(),
                              new PageRequest(1, Optional.of(token)),
                              id -> well))
                  .code())
          .isEqualTo(OperatorCode.LISTING_TOKEN_EXPIRED);
    }
  }

  // ---- expand and modify

  @Test
  @Tag("T-12")
  void growingSendsTheVolumesOwnOptionsAndSecretsAndRemembersWhatTheNodeOwes() {
    plugin(PluginShape.full());
    MountOptions options =
        MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("noatime"));
    controller.create(DB, spec().mountOptions(options).secrets(PROD).build());

    CatalogVolume grown = controller.expand(DB, CapacityRange.atLeast(5 << 20));

    assertThat(plugin.journal().lastCapability(CONTROLLER_EXPAND_VOLUME))
        .contains(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, options));
    assertThat(request(CONTROLLER_EXPAND_VOLUME).map("secrets")).containsOnlyKeys("key-of-prod");
    assertThat(grown.capacityBytes()).hasValue(5 << 20);
    assertThat(grown.pendingOnNode()).contains(CapacityRange.atLeast(5 << 20));
    reopen();
    assertThat(controller.find(DB)).contains(grown);
    assertThat(controller.nodeHasExpanded(DB, CapacityRange.atLeast(5 << 20)).pendingOnNode())
        .isEqualTo(Optional.empty());
    reopen();
    assertThat(controller.find(DB).orElseThrow().pendingOnNode()).isEqualTo(Optional.empty());
  }

  @Test
  @Tag("T-12")
  void aVolumeThatThePluginDoesNotKnowHasNoSizeOfNothing() {
    CatalogVolume made = controller.create(DB, spec().build());
    plugin.inject(Fault.fail(StatusCode.NOT_FOUND, "gone"), When.calling(CONTROLLER_EXPAND_VOLUME));
    ControllerException refused =
        failure(() -> controller.expand(DB, CapacityRange.atLeast(5 << 20)));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.status()).contains(StatusCode.NOT_FOUND);
    assertThat(controller.find(DB)).contains(made);
  }

  @Test
  void aVolumeNeverShrinksAndOneThatIsLargeEnoughStaysAsItIs() {
    CatalogVolume made = controller.create(DB, spec().build());
    assertThat(controller.expand(DB, CapacityRange.atLeast(1000))).isEqualTo(made);
    ControllerException refused =
        failure(() -> controller.expand(DB, CapacityRange.between(1000, 2000)));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_SHRINKS);
    assertThat(refused).hasMessageContaining("it has 1048576 bytes, but the request is");
    assertThat(plugin.journal().calls(CONTROLLER_EXPAND_VOLUME)).isEmpty();
  }

  @Test
  void growingWhoseEndIsNotKnownIsRepeatedUntilItIsKnownWhatTheNodeOwes() {
    plugin(PluginShape.full());
    controller.create(DB, spec().build());
    plugin.inject(
        Fault.applyThenFail(StatusCode.UNKNOWN, "?"),
        When.calling(CONTROLLER_EXPAND_VOLUME).once());
    assertThat(failure(() -> controller.expand(DB, CapacityRange.atLeast(5 << 20))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(controller.pending()).containsExactly(DB);
    reopenHurried();

    Waits.until(() -> controller.pending().isEmpty());

    CatalogVolume grown = controller.find(DB).orElseThrow();
    assertThat(grown.capacityBytes()).hasValue(5 << 20);
    assertThat(grown.pendingOnNode()).contains(CapacityRange.atLeast(5 << 20));
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"RESOURCE_EXHAUSTED", "INTERNAL"})
  void aSmallerWishTakesThePlaceOfOneThatTheStorageSystemDoesNotFulfil(StatusCode refusal) {
    controller.create(DB, spec().build());
    failToGrow(refusal);

    CatalogVolume grown = controller.expand(DB, CapacityRange.atLeast(5 << 20));

    assertThat(grown.capacityBytes()).hasValue(5 << 20);
    assertThat(grown.pendingOnNode()).as("the first call may have come through").isPresent();
    assertThat(plugin.journal().calls(CONTROLLER_EXPAND_VOLUME))
        .extracting(call -> call.request().message("capacity_range").number("required_bytes"))
        .startsWith(100L << 30)
        .endsWith(5L << 20);
    assertThat(controller.pending()).isEmpty();
    reopen();
    assertThat(controller.find(DB)).contains(grown);
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"OUT_OF_RANGE", "INVALID_ARGUMENT"})
  void anAnswerThatAWishOnRecordCannotBeFulfilledEndsIt(StatusCode never) {
    CatalogVolume made = controller.create(DB, spec().build());
    failToGrow(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(controller.pending()).containsExactly(DB);
    plugin.inject(Fault.fail(never, "never"), When.calling(CONTROLLER_EXPAND_VOLUME));

    assertThat(failure(() -> controller.expand(DB, CapacityRange.atLeast(100L << 30))).code())
        .isEqualTo(OperatorCode.CONTROLLER_CALL_REFUSED);

    assertThat(controller.pending()).isEmpty();
    assertThat(controller.find(DB).orElseThrow().capacityBytes()).isEqualTo(made.capacityBytes());
  }

  @Test
  void aDeletionThatThePluginDoesNotOfferAnyMoreIsSentAndOwedWithAnAdviceOfItsOwn() {
    CatalogVolume made = controller.create(DB, spec().build());
    plugin.upgrade(SHAPE.without(ControllerCapability.CREATE_DELETE_VOLUME));

    ControllerException refused = failure(() -> controller.delete(DB));

    assertThat(plugin.journal().calls(CsiOperation.DELETE_VOLUME)).hasSize(1);
    assertThat(refused.code()).isEqualTo(OperatorCode.RELEASE_NOT_OFFERED);
    assertThat(refused.operatorMessage().next().text())
        .isEqualTo("Use an older plugin version, or delete it at the storage system; then retry");
    assertThat(controller.find(DB)).contains(made);
    plugin.upgrade(SHAPE);
    controller.delete(DB);
    assertThat(controller.find(DB)).isEmpty();
  }

  @Test
  void aWishForWhatIsThereEndsOneThatIsNotFulfilledAndASmallerOneIsRefused() {
    CatalogVolume made = controller.create(DB, spec().build());
    long size = made.capacityBytes().orElseThrow();
    failToGrow(StatusCode.RESOURCE_EXHAUSTED);

    assertThat(failure(() -> controller.expand(DB, CapacityRange.atMost(size - 1))).code())
        .isEqualTo(OperatorCode.VOLUME_SHRINKS);
    assertThat(controller.pending()).containsExactly(DB);
    assertThat(controller.expand(DB, CapacityRange.atLeast(1)).capacityBytes()).hasValue(size);
    assertThat(controller.pending()).isEmpty();
  }

  @Test
  void parametersAreChangedWhileAVolumeCannotBeGrown() {
    controller.create(DB, spec().mutableParameters(Map.of("iops", "1")).build());
    failToGrow(StatusCode.RESOURCE_EXHAUSTED);
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "still not"),
        When.calling(CONTROLLER_EXPAND_VOLUME));

    CatalogVolume changed = controller.modify(DB, Map.of("iops", "2"));

    assertThat(changed.spec().mutableParameters()).containsExactly(Map.entry("iops", "2"));
    assertThat(controller.record(DB).orElseThrow().state())
        .isEqualTo(new State.Growing(changed, CapacityRange.atLeast(100L << 30)));
    reopen();
    assertThat(controller.find(DB)).contains(changed);
    assertThat(controller.pending()).containsExactly(DB);
  }

  /** Asks for a size that the storage system does not have, again and again in the background. */
  private void failToGrow(StatusCode refusal) {
    plugin.inject(
        Fault.fail(refusal, "not that large"), When.calling(CONTROLLER_EXPAND_VOLUME).once());
    assertThat(failure(() -> controller.expand(DB, CapacityRange.atLeast(100L << 30))).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(controller.pending()).containsExactly(DB);
  }

  @Test
  void whereAVolumeGrowsOnlyOfflineNobodyMayHoldIt() {
    plugin(SHAPE.without(PluginCapability.VOLUME_EXPANSION_ONLINE));
    controller.create(DB, spec().build());
    claim(DB);
    assertThat(failure(() -> controller.expand(DB, CapacityRange.atLeast(5 << 20))).code())
        .isEqualTo(OperatorCode.VOLUME_CLAIMED);
    assertThat(plugin.journal().calls(CONTROLLER_EXPAND_VOLUME)).isEmpty();
  }

  @Test
  void changedParametersAreRememberedOnceThePluginHasTakenThem() {
    controller.create(
        DB, spec().mutableParameters(Map.of("iops", "1", "tier", "low")).secrets(PROD).build());
    CatalogVolume changed = controller.modify(DB, Map.of("iops", "2"));
    assertThat(changed.spec().mutableParameters())
        .containsExactly(Map.entry("iops", "2"), Map.entry("tier", "low"));
    assertThat(request(CONTROLLER_MODIFY_VOLUME).map("mutable_parameters"))
        .containsExactly(Map.entry("iops", "2"));
    assertThat(request(CONTROLLER_MODIFY_VOLUME).map("secrets")).containsOnlyKeys("key-of-prod");

    assertThat(failure(() -> controller.modify(DB, Map.of("iops", ""))).status())
        .contains(StatusCode.INVALID_ARGUMENT);
    assertThat(controller.find(DB)).contains(changed);
    assertThat(
            controller.create(
                DB,
                spec().mutableParameters(Map.of("iops", "1", "tier", "low")).secrets(PROD).build()))
        .isEqualTo(changed);
  }

  @Test
  void whatIsNotOnRecordCannotBeChanged() {
    for (Runnable work :
        List.<Runnable>of(
            () -> controller.expand(DB, CapacityRange.atLeast(1)),
            () -> controller.modify(DB, Map.of("a", "b")),
            () -> controller.inspect(DB),
            () -> controller.createSnapshot(DB, SnapshotName.of("s"), Map.of()),
            () -> controller.nodeHasExpanded(DB, CapacityRange.atLeast(1)))) {
      ControllerException refused = failure(work);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
      assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_UNKNOWN);
    }
    assertThat(plugin.journal().calls()).isEmpty();
  }

  // ---- snapshots

  @Test
  void aSnapshotIsCutAVolumeMadeOfItAndBothDeleted() {
    controller.create(DB, spec().secrets(PROD).build());
    Snapshot snapshot =
        controller.createSnapshot(DB, SnapshotName.of("nightly"), Map.of("kind", "full"));
    assertThat(snapshot.readyToUse()).isTrue();
    assertThat(controller.createSnapshot(DB, SnapshotName.of("nightly"), Map.of("kind", "full")))
        .isEqualTo(snapshot);
    assertThat(request(CREATE_SNAPSHOT).map("secrets")).containsOnlyKeys("key-of-prod");

    VolumeKey copy = VolumeKey.of("copy");
    controller.create(copy, spec().fromSnapshot(snapshot.id()).build());
    controller.create(
        VolumeKey.of("clone"), spec().cloneOf(controller.find(DB).orElseThrow().id()).build());
    assertThat(plugin.contents().volumes()).hasSize(3);
    assertThat(controller.listSnapshots(ID, Optional.of(PROD))).containsExactly(snapshot);

    controller.delete(copy);
    controller.deleteSnapshot(ID, snapshot, Optional.of(PROD));
    controller.deleteSnapshot(ID, snapshot.id(), Optional.of(PROD));
    assertThat(plugin.contents().snapshots()).isEmpty();
  }

  @Test
  void aGroupIsCutAtOnceAndItsSnapshotsAreNeverDeletedAlone() {
    VolumeKey logs = VolumeKey.of("logs");
    controller.create(DB, spec().build());
    controller.create(logs, spec().build());
    VolumeGroupSnapshot group =
        controller.createGroupSnapshot(Set.of(DB, logs), SnapshotName.of("both"), Map.of());
    assertThat(group.snapshots()).hasSize(2);
    Snapshot member = group.snapshots().get(0);

    ControllerException refused =
        failure(() -> controller.deleteSnapshot(ID, member, Optional.empty()));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.SNAPSHOT_IN_GROUP);
    assertThat(plugin.journal().calls(DELETE_SNAPSHOT)).isEmpty();

    controller.deleteGroupSnapshot(
        ID, group.id(), group.snapshots().stream().map(Snapshot::id).toList(), Optional.empty());
    assertThat(plugin.contents().groups()).isEmpty();
    assertThat(plugin.contents().snapshots()).isEmpty();
  }

  @Test
  void aGroupOfVolumesOfSeveralPluginsIsRefused() {
    VolumeKey logs = VolumeKey.of("logs");
    PluginId other = PluginId.of("other");
    try (FakeCsiPlugin second =
        FakeCsiPlugin.builder().shape(SHAPE).effects(NodeEffects.none()).open()) {
      PluginHandle registered =
          world
              .registry()
              .register(
                  new PluginRegistration(
                      PluginBinding.of(other, second.endpoint()),
                      InstanceId.ONLY,
                      Set.of(PluginRole.CONTROLLER)));
      controller.create(DB, spec().build());
      controller.create(
          logs,
          VolumeSpec.builder(other)
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .capacity(CapacityRange.atLeast(1 << 20))
              .build());

      ControllerException refused =
          failure(
              () ->
                  controller.createGroupSnapshot(
                      Set.of(DB, logs), SnapshotName.of("both"), Map.of()));

      assertThat(refused.code()).isEqualTo(OperatorCode.VOLUME_REQUEST_REFUSED);
      assertThat(refused).hasMessageContaining("belong to several plugins");
      assertThat(plugin.contents().groups()).isEmpty();
      registered.close();
    }
  }

  // ---- claims

  private ClaimCoordinator coordinator() {
    return new ClaimCoordinator(
        new ClaimBook(claims, Clock.systemUTC()),
        controller.attachments(),
        Clock.systemUTC(),
        event -> {});
  }

  /** As the plugin's node service gives it. */
  private NodeId nodeId() {
    try (CsiPlugin node = CsiPlugin.connect(plugin.endpoint())) {
      return node.node().getInfo().nodeId();
    }
  }

  private static ClaimRequest wish(String workload, NodeId node) {
    return ClaimRequest.builder(
            VolumeUse.of(DB, WorkloadId.of(workload)),
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(node)
        .build();
  }

  @Test
  void aClaimedVolumeIsAttachedWithItsOwnOptionsAndContextAndDetachedWhenItIsGivenBack() {
    MountOptions options = MountOptions.none().withFsType("ext4");
    CatalogVolume made = controller.create(DB, spec().mountOptions(options).secrets(PROD).build());
    ClaimRequest wanted = wish("web-1", nodeId());

    ClaimGrant grant = coordinator().acquire(wanted);

    assertThat(plugin.contents().attached())
        .containsExactly(new PluginContents.Attached(made.id(), NodeId.of("node-1")));
    assertThat(plugin.journal().lastCapability(CsiOperation.CONTROLLER_PUBLISH_VOLUME))
        .contains(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, options));
    WireMessage attached = request(CsiOperation.CONTROLLER_PUBLISH_VOLUME);
    assertThat(attached.map("volume_context")).isEqualTo(made.context().reveal());
    assertThat(attached.map("secrets")).containsOnlyKeys("key-of-prod");
    assertThat(failure(() -> controller.delete(DB)).code()).isEqualTo(OperatorCode.VOLUME_CLAIMED);

    coordinator().release(wanted.usage());
    ClaimProgress gone =
        coordinator()
            .confirmRelease(
                new NodeReceipt(
                    wanted.usage(),
                    grant.epoch(),
                    wanted.node(),
                    "boot-1",
                    List.of(Path.of("/v")),
                    NodeReceipt.Staging.GONE));
    assertThat(gone).isEqualTo(new ClaimProgress.Gone(wanted.usage()));
    assertThat(plugin.contents().attached()).isEmpty();
    assertThat(request(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME).map("secrets"))
        .containsOnlyKeys("key-of-prod");
    controller.delete(DB);
  }

  @Test
  void attachmentsKnowThePluginOfAVolumeOnRecord() {
    controller.create(DB, spec().build());

    assertThat(controller.attachments().plugin(DB)).contains(ID);
    assertThat(controller.attachments().plugin(VolumeKey.of("unknown"))).isEmpty();
  }

  @Test
  void whatIsNotWantedAnyMoreWhenItsTurnComesIsNotSent() {
    controller.create(DB, spec().build());
    AttachmentTask task = attaching();
    assertThat(controller.attachments().attach(task, () -> false))
        .isEqualTo(new ControllerAnswer.NotSent());
    assertThat(controller.attachments().detach(task, () -> false))
        .isEqualTo(new ControllerAnswer.NotSent());
    IllegalStateException down = new IllegalStateException("the store is down");
    assertThatThrownBy(
            () ->
                controller
                    .attachments()
                    .attach(
                        task,
                        () -> {
                          throw down;
                        }))
        .isSameAs(down);
    assertThat(plugin.contents().attached()).isEmpty();
    assertThat(plugin.journal().calls(CsiOperation.CONTROLLER_PUBLISH_VOLUME)).isEmpty();
  }

  @Test
  void aRefusalToAttachIsHandedOnWithItsCodeAndOutcome() {
    controller.create(DB, spec().build());
    Claim.Use use = new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);
    AttachmentTask task = new AttachmentTask(DB, nodeId(), use, false);
    plugin.inject(
        Fault.fail(StatusCode.NOT_FOUND, "no such node"),
        When.calling(CsiOperation.CONTROLLER_PUBLISH_VOLUME));
    assertThat(controller.attachments().attach(task, () -> true))
        .isInstanceOfSatisfying(
            ControllerAnswer.Failed.class,
            failed -> {
              assertThat(failed.code()).isEqualTo(StatusCode.NOT_FOUND);
              assertThat(failed.outcome()).isEqualTo(io.csi4j.client.model.Outcome.SETTLED);
              assertThat(failed.failure().orElseThrow().operation())
                  .contains(CsiOperation.CONTROLLER_PUBLISH_VOLUME);
            });
    for (AttachmentTask other :
        List.of(
            new AttachmentTask(VolumeKey.of("unknown"), NodeId.of("node-1"), use, false),
            new AttachmentTask(
                DB,
                NodeId.of("node-1"),
                new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.BLOCK),
                false))) {
      assertThat(controller.attachments().attach(other, () -> true))
          .isInstanceOfSatisfying(
              ControllerAnswer.Failed.class,
              failed -> {
                assertThat(failed.outcome()).isEqualTo(io.csi4j.client.model.Outcome.SETTLED);
                assertThat(failed.failure()).isEqualTo(Optional.empty());
              });
    }
  }

  // ---- lists

  private List<VolumeId> three() {
    return List.of("a", "b", "c").stream()
        .map(name -> controller.create(VolumeKey.of(name), spec().build()).id())
        .toList();
  }

  @Test
  @Tag("T-03")
  void aListIsReadPageByPageWithNothingLeftOutOrTwice() {
    List<VolumeId> made = three();
    List<VolumeId> read = new ArrayList<>();
    Page<VolumeEntry> page = controller.list(ID, new PageRequest(2, Optional.empty()));
    page.entries().forEach(entry -> read.add(entry.volume().id()));
    assertThat(read).hasSize(2);
    page = controller.list(ID, new PageRequest(2, page.nextToken()));
    page.entries().forEach(entry -> read.add(entry.volume().id()));
    assertThat(page.nextToken()).isEqualTo(Optional.empty());
    assertThat(read).containsExactlyInAnyOrderElementsOf(made);
    assertThat(controller.list(ID))
        .extracting(entry -> entry.volume().id())
        .containsExactlyInAnyOrderElementsOf(made);
  }

  @Test
  @Tag("T-03")
  void aTokenThatHasExpiredIsToldAsSuch() {
    three();
    Page<VolumeEntry> page = controller.list(ID, new PageRequest(1, Optional.empty()));
    plugin.expireTokens();
    ControllerException expired =
        failure(() -> controller.list(ID, new PageRequest(1, page.nextToken())));
    assertThat(expired.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(expired.code()).isEqualTo(OperatorCode.LISTING_TOKEN_EXPIRED);
    assertThat(expired.status()).contains(StatusCode.ABORTED);
  }

  @Test
  @Tag("T-03")
  void aListThatGoesRoundInACircleEndsAfterAllThatCouldBeRead() {
    List<VolumeId> made = three();
    plugin.inject(Fault.answer(Fault.WrongAnswer.LOOPING_PAGE), When.calling(LIST_VOLUMES));
    List<VolumeId> read = new ArrayList<>();
    ControllerException endless =
        failure(
            () -> {
              for (VolumeEntry entry : controller.list(ID)) {
                read.add(entry.volume().id());
              }
            });
    assertThat(endless.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(endless.code()).isEqualTo(OperatorCode.LISTING_ENDLESS);
    assertThat(read).containsAll(made);
  }

  @Test
  void aVolumeIsSeenAsThePluginSeesIt() {
    CatalogVolume made = controller.create(DB, spec().build());
    plugin.condition(made.id(), new VolumeCondition(true, "one leg is lost"));
    VolumeEntry seen = controller.inspect(DB);
    assertThat(seen.volume().id()).isEqualTo(made.id());
    assertThat(seen.publishedNodes()).isEmpty();
    assertThat(seen.condition()).contains(new VolumeCondition(true, "one leg is lost"));
    assertThat(controller.list(ID).stream().findFirst().orElseThrow().condition())
        .contains(new VolumeCondition(true, "one leg is lost"));
  }

  @Test
  @Tag("D-210")
  void theFirstContextOfAVolumeStaysAndAnotherOneIsTold() {
    VolumeContext first = VolumeContext.of(Map.of("part", "1"));
    plugin.addVolume(VolumeId.of("old-1"), CapacityRange.exactly(1 << 20), first);
    CatalogVolume there = controller.register(existing(VolumeId.of("old-1"), first));
    assertThat(controller.inspect(DB).volume().context()).isEqualTo(first);
    assertThat(told).isEmpty();
    plugin(SHAPE);
    VolumeContext other = VolumeContext.of(Map.of("part", "s3cr3t"));
    plugin.addVolume(there.id(), CapacityRange.exactly(1 << 20), other);
    assertThat(controller.inspect(DB).volume().context()).isEqualTo(other);
    assertThat(told)
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.code()).isEqualTo(OperatorCode.VOLUME_CONTEXT_CHANGED);
              assertThat(message.line()).contains("'old-1'").doesNotContain("s3cr3t");
            });
    assertThat(controller.find(DB)).contains(there);
  }

  @Test
  @Tag("D-210")
  void creatingAgainKeepsTheFirstContextWhateverThePluginWouldAnswerNow() {
    CatalogVolume made = controller.create(DB, spec().build());
    assertThat(made.context()).isNotEqualTo(VolumeContext.empty());

    plugin(SHAPE);
    VolumeContext other = VolumeContext.of(Map.of("part", "s3cr3t"));
    plugin.addVolume(made.id(), CapacityRange.exactly(1 << 20), other);
    reopen();

    assertThat(controller.create(DB, spec().build())).isEqualTo(made);
    assertThat(plugin.journal().calls(CREATE_VOLUME)).isEmpty();
    assertThat(controller.inspect(DB).volume().context()).isEqualTo(other);
    assertThat(told)
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.code()).isEqualTo(OperatorCode.VOLUME_CONTEXT_CHANGED);
              assertThat(message.line()).doesNotContain("s3cr3t");
            });
    assertThat(controller.create(DB, spec().build())).isEqualTo(made);
    assertThat(controller.find(DB).map(CatalogVolume::context)).contains(made.context());
  }

  @Test
  @Tag("D-210")
  void anAnswerThatIsRepeatedWhileCreatingIsInDoubtHasTheContextThatStays() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
        When.calling(CREATE_VOLUME).once());
    assertThat(failure(() -> controller.create(DB, spec().build())).outcome())
        .isEqualTo(ChangeOutcome.UNCERTAIN);
    CatalogVolume made = controller.create(DB, spec().build());
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(2);

    assertThat(controller.create(DB, spec().build())).isEqualTo(made);
    assertThat(controller.inspect(DB).volume().context()).isEqualTo(made.context());
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(2);
    assertThat(told).isEmpty();
  }

  @Test
  void howMuchRoomThereIsIsAskedWithWhatCreatingWouldSend() {
    assertThat(
            controller
                .capacity(spec().parameters(Map.of("type", "ssd")).build(), Optional.empty())
                .availableBytes())
        .isEqualTo(SHAPE.totalBytes());
    assertThat(request(CsiOperation.GET_CAPACITY).map("parameters"))
        .containsExactly(Map.entry("type", "ssd"));
  }

  // ---- ways of asking

  @Test
  void theSameOperationsDoNotBlockWhereThatIsAskedFor() {
    AsyncVolumeController async = controller.async();
    CompletableFuture<CatalogVolume> made = async.create(DB, spec().build()).toCompletableFuture();
    CompletableFuture<CatalogVolume> again = async.create(DB, spec().build()).toCompletableFuture();
    assertThat(Waits.on(made)).isEqualTo(Waits.on(again));
    assertThat(plugin.journal().calls(CREATE_VOLUME)).hasSize(1);
    Waits.on(async.delete(DB).toCompletableFuture());
    assertThat(plugin.contents().empty()).isTrue();

    CompletableFuture<CatalogVolume> refused =
        async.expand(DB, CapacityRange.atLeast(1)).toCompletableFuture();
    assertThatThrownBy(() -> Waits.on(refused))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            ControllerException.class,
            failed -> assertThat(failed.code()).isEqualTo(OperatorCode.VOLUME_UNKNOWN));
  }

  @Test
  void whoCancelsWhileHeWaitsForHisTurnIsNotServed() {
    plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME).once());
    AsyncVolumeController async = controller.async();
    CompletableFuture<CatalogVolume> made = async.create(DB, spec().build()).toCompletableFuture();
    plugin.journal().await(call -> call.operation() == CREATE_VOLUME, SECONDS);
    CompletableFuture<Void> deleted = async.delete(DB).toCompletableFuture();

    assertThat(deleted.cancel(true)).isTrue();
    plugin.release();

    assertThat(Waits.on(made).key()).isEqualTo(DB);
    assertThat(controller.expand(DB, CapacityRange.atLeast(1))).isEqualTo(Waits.on(made));
    assertThat(plugin.journal().calls(DELETE_VOLUME)).isEmpty();
  }

  @Test
  void anInterruptEndsTheWaitingAndTheOperationGoesOn() {
    plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME).once());
    AtomicReference<ControllerException> told = new AtomicReference<>();
    AtomicReference<Boolean> flag = new AtomicReference<>(false);
    Thread caller =
        new Thread(
            () -> {
              told.set(failure(() -> controller.create(DB, spec().build())));
              flag.set(Thread.currentThread().isInterrupted());
            });
    caller.start();
    plugin.journal().await(call -> call.operation() == CREATE_VOLUME, SECONDS);
    caller.interrupt();
    Waits.until(() -> !caller.isAlive());

    assertThat(told.get().outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(told.get().code()).isEqualTo(OperatorCode.CONTROLLER_CALL_CANCELLED);
    assertThat(flag.get()).isTrue();
    plugin.release();
    Waits.until(() -> controller.find(DB).isPresent());
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @Test
  void whatAnOperationLeavesOwedAfterAnInterruptIsDoneInTheBackground() {
    reopenHurried();
    plugin.inject(
        Fault.hang().then(Fault.change(CREATE_VOLUME, "{\"volume\": {\"capacity_bytes\": 1}}")),
        When.calling(CREATE_VOLUME).once());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"), When.calling(DELETE_VOLUME).once());
    Thread caller = new Thread(() -> failure(() -> controller.create(DB, spec().build())));
    caller.start();
    plugin.journal().await(call -> call.operation() == CREATE_VOLUME, SECONDS);
    caller.interrupt();
    Waits.until(() -> !caller.isAlive());
    assertThat(controller.record(DB).map(CatalogEntry::state)).contains(new State.Creating());

    plugin.release();

    Waits.until(() -> controller.record(DB).isEmpty());
    assertThat(plugin.journal().calls(DELETE_VOLUME)).hasSize(2);
    assertThat(plugin.contents().empty()).isTrue();
    assertThat(controller.pending()).isEmpty();
  }

  @Test
  void afterClosingNothingIsBegun() {
    controller.close();
    assertThat(failure(() -> controller.create(DB, spec().build())).code())
        .isEqualTo(OperatorCode.ENGINE_CLOSED);
  }
}
