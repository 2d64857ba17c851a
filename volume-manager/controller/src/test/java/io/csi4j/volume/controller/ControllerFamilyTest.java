package io.csi4j.volume.controller;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.host.PublicCalls;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.placement.Placement.PlannedClaim;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.upkeep.DriftCheck;
import io.csi4j.volume.upkeep.HealthMonitor;
import io.csi4j.volume.upkeep.Leftover;
import io.csi4j.volume.upkeep.Reaper;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a controller is asked, and in whatever state it is: what it throws has a code. */
class ControllerFamilyTest {

  private static final PluginId PLUGIN = PluginId.of("gone.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeKey KEY = VolumeKey.of("db-1");
  private static final VolumeSpec SPEC =
      VolumeSpec.builder(PLUGIN).use(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)).build();

  private static final CatalogVolume VOLUME = CatalogVolume.builder(KEY, SPEC, HANDLE).build();
  private static final VolumeUse USE = VolumeUse.of(KEY, WorkloadId.of("web-1"));
  private static final NodeName NODE = NodeName.of("n1");

  @TempDir private Path temp;

  private final MemoryStore store = new MemoryStore();
  private RecordStore claims = store;
  private final StateStore state = MemoryMedium.create().open();
  private final RecordStore catalog = LocalStore.on(state);
  private final PluginRegistry registry = InMemoryPluginRegistry.open();

  private VolumeController open() {
    return VolumeController.builder(registry, catalog)
        .claims(claims)
        .settings(
            ControllerSettings.builder()
                .policy(each -> each.attempts(1).budget(Duration.ofMillis(100)))
                .build())
        .snapshotPatience(Duration.ofMillis(100))
        .open();
  }

  private void registerPlugin(PluginRole role) {
    var unused =
        registry.register(
            new PluginRegistration(
                PluginBinding.builder(PLUGIN, CsiEndpoint.of(temp.resolve("csi.sock")))
                    .connectOptions(
                        ConnectOptions.builder().deadline(Duration.ofMillis(20)).build())
                    .build(),
                InstanceId.ONLY,
                Set.of(role)));
  }

  @Test
  void withoutAPlugin() {
    try (VolumeController controller = open()) {
      assertThat(strangers(controller)).isEmpty();
    }
  }

  @Test
  void withAPluginThatIsNotThere() {
    registerPlugin(PluginRole.CONTROLLER);
    try (VolumeController controller = open()) {
      assertThat(strangers(controller)).isEmpty();
    }
  }

  @Test
  void withAStoreThatWasClosed() {
    registerPlugin(PluginRole.NODE);
    try (VolumeController controller = open()) {
      state.close();

      // No controller is asked before this is written.
      assertThatExceptionOfType(ControllerException.class)
          .isThrownBy(() -> controller.register(VOLUME))
          .satisfies(it -> assertThat(it.code()).isEqualTo(OperatorCode.STATE_CLOSED));
      assertThat(strangers(controller)).isEmpty();
    }

    catalog.close();
    assertThatExceptionOfType(ControllerException.class)
        .isThrownBy(this::open)
        .returns(ChangeOutcome.UNAVAILABLE, ControllerException::outcome)
        .returns(OperatorCode.CATALOG_DOWN, OperatorException::code);
  }

  @Test
  void aVolumeThatCannotBeForgottenInAStoreThatWasClosed() {
    registerPlugin(PluginRole.NODE);
    try (VolumeController controller = open()) {
      controller.register(VOLUME);
      state.close();

      assertThatExceptionOfType(ControllerException.class)
          .isThrownBy(() -> controller.deregister(KEY))
          .returns(ChangeOutcome.UNAVAILABLE, ControllerException::outcome)
          .returns(OperatorCode.STATE_CLOSED, OperatorException::code);
      assertThat(controller.find(KEY)).isPresent();
    }
  }

  @Test
  void afterItWasClosed() {
    registerPlugin(PluginRole.CONTROLLER);
    VolumeController controller = open();
    controller.close();

    assertThat(strangers(controller)).isEmpty();
  }

  /** The others read what the controller knows, make several operations, or list while read. */
  @Test
  void eachMethodThatWaitsForOneOperationIsInBothFaces() {
    Set<String> others =
        Set.of(
            "async",
            "attachments",
            "backups",
            "changes",
            "deregisterAll",
            "dump",
            "explain",
            "ephemeral",
            "find",
            "handles",
            "held",
            "leaveUpkeep",
            "pending",
            "record",
            "registerAll",
            "retainEphemeral",
            "status",
            "summaries",
            "takeUpkeep",
            "unknownVolumes",
            "unused",
            "volumes",
            "whyNotClaimed");
    assertThat(methods(AsyncVolumeController.class).map(ControllerFamilyTest::signature))
        .containsExactlyInAnyOrderElementsOf(
            methods(VolumeController.class)
                .filter(method -> method.getReturnType() != Listing.class)
                .filter(method -> !others.contains(method.getName()))
                .map(ControllerFamilyTest::signature)
                .toList());
  }

  private static Stream<Method> methods(Class<?> type) {
    return Stream.of(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> !method.getName().equals("close"));
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  private FakeCsiPlugin onRecord(VolumeController controller) {
    FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.full113());
    fake.addVolume(HANDLE);
    var unused =
        registry.register(
            new PluginRegistration(
                PluginBinding.builder(PLUGIN, fake.endpoint())
                    .connectOptions(
                        ConnectOptions.builder().deadline(Duration.ofSeconds(1)).build())
                    .build(),
                InstanceId.ONLY,
                Set.of(PluginRole.CONTROLLER)));
    while (controller.find(KEY).isEmpty()) {
      register(controller);
    }
    return fake;
  }

  /** Takes the volume on record, if it is not there in another way and the plugin is in time. */
  private static void register(VolumeController controller) {
    try {
      assertThat(controller.register(VOLUME).key()).isEqualTo(KEY);
    } catch (ControllerException notNow) {
      // The call that follows is made all the same.
    }
  }

  private void withAFault(Fault fault) {
    VolumeController controller = open();
    try (FakeCsiPlugin fake = onRecord(controller)) {
      assertThat(
              strangers(
                  controller,
                  () -> {
                    fake.clearFaults();
                    register(controller);
                    fake.inject(fault, When.anyCall());
                  }))
          .isEmpty();
    } finally {
      controller.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FAILED_PRECONDITION", "UNAVAILABLE"})
  void withAPluginThatAnswersWith(StatusCode code) {
    withAFault(Fault.fail(code, "broken"));
  }

  @ParameterizedTest
  @Tag("campaign")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"OK", "FAILED_PRECONDITION", "UNAVAILABLE"})
  void withAPluginThatAnswersWithAnyCode(StatusCode code) {
    withAFault(Fault.fail(code, "broken"));
  }

  @Test
  void withAPluginThatIsSilent() {
    withAFault(Fault.hang());
  }

  @Test
  void withAPluginThatEndsTheConnection() {
    withAFault(Fault.applyThenDrop());
  }

  @ParameterizedTest
  @EnumSource
  void withClaimsThatAreRefusedFor(RecordStoreException.Reason reason) {
    RecordStore refusing =
        (RecordStore)
            Proxy.newProxyInstance(
                RecordStore.class.getClassLoader(),
                new Class<?>[] {RecordStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("identity")) {
                    return store.identity();
                  } else if (method.getReturnType() == Optional.class) {
                    return Optional.empty();
                  }
                  throw new RecordStoreException(reason, "It is so. Do that.");
                });
    claims = refusing;
    VolumeController controller = open();
    try (FakeCsiPlugin fake = onRecord(controller)) {
      assertThat(fake.contents().volumes()).isNotEmpty();
      assertThat(strangers(controller, () -> {})).isEmpty();
    } finally {
      controller.close();
    }
  }

  @Test
  void ofStoresOfRecords() {
    RecordWrite write =
        new RecordWrite(
            ClaimCodec.key(KEY), Optional.empty(), Optional.of(StateValue.of(new byte[] {1})));
    Map<String, Object> samples =
        Map.of(
            RecordKey.class.getName(),
            write.key(),
            RecordKey.Space.class.getName(),
            RecordKey.Space.CLAIMS,
            Optional.class.getName(),
            Optional.empty(),
            int.class.getName(),
            10,
            RecordWrite.class.getName(),
            write,
            List.class.getName(),
            List.of(write));
    PublicCalls calls = new PublicCalls(RecordStoreException.class, samples);
    MemoryMedium medium = MemoryMedium.create();
    LocalStore local = LocalStore.on(medium.open());
    for (StateException.Reason reason : StateException.Reason.values()) {
      medium.refuse(reason);
      assertThat(calls.strangers(LocalStore.class, local)).as("%s", reason).isEmpty();
    }
    for (RecordStore closed : List.of(local, store)) {
      closed.close();
      int before = calls.failures();
      assertThat(calls.strangers(closed.getClass(), closed)).isEmpty();
      assertThat(calls.failures()).isGreaterThan(before + 2);
    }
  }

  private List<String> strangers(VolumeController controller) {
    return strangers(controller, () -> {});
  }

  /**
   * What the public methods throw that is of another family.
   *
   * @param before is done before each call
   */
  private List<String> strangers(VolumeController controller, Runnable before) {
    ClaimBook book = new ClaimBook(claims, Clock.systemUTC(), store.identity());
    ClaimCoordinator coordinator =
        new ClaimCoordinator(
            book, controller.attachments(), Clock.systemUTC(), ClaimEvent.Listener.none());
    Map<String, Object> samples = samples(coordinator);
    PublicCalls controllers = new PublicCalls(ControllerException.class, samples);
    List<String> strangers = new ArrayList<>();
    strangers.addAll(
        controllers.strangers(VolumeController.class, prepared(before, () -> controller)));
    strangers.addAll(
        controllers.strangers(AsyncVolumeController.class, prepared(before, controller::async)));
    strangers.addAll(
        controllers.strangers(SnapshotBackups.class, prepared(before, controller::backups)));
    PublicCalls others = new PublicCalls(OperatorException.class, samples);
    try (HealthMonitor monitor = HealthMonitor.builder(controller).timer(false).open()) {
      for (Object each :
          List.of(
              book,
              coordinator,
              new JobVolumes(controller, coordinator),
              Placement.builder(controller).claims(book).patience(Duration.ofMillis(20)).build(),
              new DriftCheck(controller, PLUGIN, claims),
              new Reaper(book, Reaper.Sources.of(coordinator), Clock.systemUTC(), message -> {}),
              monitor)) {
        strangers.addAll(others.strangers(each.getClass(), prepared(before, () -> each)));
      }
    }
    assertThat(controllers.failures())
        .as("a fault without an effect proves nothing")
        .isGreaterThan(5);
    return strangers;
  }

  private static <T> Supplier<T> prepared(Runnable before, Supplier<T> subject) {
    return () -> {
      before.run();
      return subject.get();
    };
  }

  private static Map<String, Object> samples(ClaimCoordinator coordinator) {
    NodeReceipt receipt =
        new NodeReceipt(USE, 1, NODE, "boot", List.of(Path.of("/v/t")), NodeReceipt.Staging.GONE);
    Claim.Use use = new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);
    Map<String, Object> samples = new HashMap<>();
    Map.<Class<?>, Object>ofEntries(
            Map.entry(String.class, "reap"),
            Map.entry(Path.class, Path.of("/proc/no/report.zip")),
            Map.entry(Instant.class, Instant.EPOCH),
            Map.entry(PluginId.class, PLUGIN),
            Map.entry(VolumeKey.class, KEY),
            Map.entry(VolumeId.class, HANDLE),
            Map.entry(VolumeSpec.class, SPEC),
            Map.entry(CatalogVolume.class, VOLUME),
            Map.entry(ClusterIdentity.class, ClusterIdentity.of("abcdefghijk27")),
            Map.entry(CapacityRange.class, CapacityRange.atLeast(1)),
            Map.entry(Map.class, Map.of("tier", "fast")),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(Collection.class, List.of(KEY)),
            Map.entry(Set.class, Set.of(KEY)),
            Map.entry(List.class, List.of(SnapshotId.of("snap-1"))),
            Map.entry(SnapshotName.class, SnapshotName.of("monday")),
            Map.entry(
                TopologyRequirement.class,
                TopologyRequirement.anyOf(List.of(Topology.of(Map.of("zone", "a"))))),
            Map.entry(SnapshotId.class, SnapshotId.of("snap-1")),
            Map.entry(GroupSnapshotId.class, GroupSnapshotId.of("group-1")),
            Map.entry(PageRequest.class, PageRequest.first()),
            Map.entry(Duration.class, Duration.ofMillis(10)),
            Map.entry(VolumeFilter.class, VolumeFilter.all()),
            Map.entry(ClaimOverride.Person.class, new ClaimOverride.Person("ada")),
            Map.entry(ClaimEpoch.class, new ClaimEpoch(NODE, USE, 1)),
            Map.entry(
                JobVolumes.NodeProof.class,
                (JobVolumes.NodeProof)
                    claim ->
                        new ReleaseProof.PowerOff(
                            claim.usage(), claim.epoch(), NODE, new ReasonText("ada has seen it"))),
            Map.entry(Function.class, (Function<Object, Object>) each -> Optional.empty()),
            Map.entry(UnaryOperator.class, UnaryOperator.identity()),
            Map.entry(ReasonText.class, new ReasonText("it is gone")),
            Map.entry(
                OperatorMessage.class,
                Messages.of(OperatorCode.STEP_FAILED, Subject.of("expanding"), "it did not")),
            Map.entry(Snapshot.class, snapshot()),
            Map.entry(VolumeUse.class, USE),
            Map.entry(NodeName.class, NODE),
            Map.entry(NodeId.class, NodeId.of("node-1")),
            Map.entry(ClaimMode.class, ClaimMode.WRITE),
            Map.entry(ClaimHolder.State.class, ClaimHolder.State.UNPUBLISHING),
            Map.entry(NodeReceipt.class, receipt),
            Map.entry(ReleaseProof.class, new ReleaseProof.ByNode(receipt)),
            Map.entry(PlannedClaim.class, new PlannedClaim(USE.workload(), use, ClaimMode.WRITE)),
            Map.entry(
                DriftCheck.Report.class, new DriftCheck.Report(List.of(), 0, 0, new TreeMap<>())),
            Map.entry(DriftCheck.Policy.class, new DriftCheck.Policy(true, true)),
            Map.entry(DriftCheck.Repair.class, DriftCheck.Repair.by(coordinator, message -> {})),
            Map.entry(Reaper.Throttle.class, Reaper.Throttle.oneEach(Duration.ZERO)),
            Map.entry(int.class, 10),
            Map.entry(long.class, 1L),
            Map.entry(
                ClaimRequest.class,
                ClaimRequest.builder(USE, NODE, use, ClaimMode.WRITE)
                    .nodeId(NodeId.of("node-1"))
                    .build()))
        .forEach((type, sample) -> samples.put(type.getName(), sample));
    samples.put(generic(Collection.class, CatalogVolume.class), List.of(VOLUME));
    samples.put(
        generic(Collection.class, Placement.Node.class),
        List.of(Placement.Node.of(NODE, List.of())));
    samples.put(generic(List.class, Leftover.class), List.of());
    samples.put(generic(Set.class, VolumeUse.class), Set.of(USE));
    samples.put(
        generic(Function.class, PluginId.class, PluginView.class),
        (Function<PluginId, PluginView>)
            plugin ->
                new PluginView(
                    plugin,
                    new PluginView.Count(0, 0, 0),
                    new PluginView.Count(0, 0, 0),
                    Set.of()));
    samples.put(generic(Map.class, VolumeId.class, VolumeKey.class), Map.of(HANDLE, KEY));
    return samples;
  }

  private static String generic(Class<?> type, Class<?>... arguments) {
    return type.getName()
        + Arrays.stream(arguments).map(Class::getName).collect(joining(", ", "<", ">"));
  }

  private static Snapshot snapshot() {
    return new Snapshot() {
      @Override
      public SnapshotId id() {
        return SnapshotId.of("snap-1");
      }

      @Override
      public VolumeId sourceVolumeId() {
        return HANDLE;
      }

      @Override
      public OptionalLong sizeBytes() {
        return OptionalLong.empty();
      }

      @Override
      public Optional<Instant> creationTime() {
        return Optional.empty();
      }

      @Override
      public boolean readyToUse() {
        return true;
      }

      @Override
      public Optional<GroupSnapshotId> groupSnapshotId() {
        return Optional.empty();
      }

      @Override
      public List<Topology> accessibleTopology() {
        return List.of();
      }
    };
  }
}
