package io.csi4j.volume.controller;

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
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a controller is asked, and in whatever state it is: what it throws has a code. */
class ControllerFamilyTest {

  private static final PluginId PLUGIN = PluginId.of("gone.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeKey KEY = VolumeKey.of("db-1");
  private static final VolumeSpec SPEC =
      VolumeSpec.builder(PLUGIN).use(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)).build();

  @TempDir private Path temp;

  private final StateStore state = MemoryMedium.create().open();
  private final PluginRegistry registry = InMemoryPluginRegistry.open();

  private VolumeController open() {
    return VolumeController.builder(registry, VolumeStore.on(state))
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
          .isThrownBy(() -> controller.register((CatalogVolume) argument(CatalogVolume.class)))
          .satisfies(it -> assertThat(it.code()).isEqualTo(OperatorCode.STATE_CLOSED));
      assertThat(strangers(controller)).isEmpty();
    }

    assertThatExceptionOfType(ControllerException.class)
        .isThrownBy(this::open)
        .returns(ChangeOutcome.HELD, ControllerException::outcome)
        .returns(OperatorCode.STATE_CLOSED, OperatorException::code)
        .withCauseInstanceOf(StateException.class);
  }

  @Test
  void aVolumeThatCannotBeForgottenInAStoreThatWasClosed() {
    registerPlugin(PluginRole.NODE);
    try (VolumeController controller = open()) {
      controller.register((CatalogVolume) argument(CatalogVolume.class));
      state.close();

      assertThatExceptionOfType(ControllerException.class)
          .isThrownBy(() -> controller.deregister(KEY))
          .returns(ChangeOutcome.UNCERTAIN, ControllerException::outcome)
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
            "ephemeral",
            "find",
            "handles",
            "held",
            "pending",
            "record",
            "registerAll",
            "retainEphemeral",
            "summaries",
            "volumes",
            "whyNotClaimed");
    assertThat(methods(AsyncVolumeController.class))
        .extracting(ControllerFamilyTest::signature)
        .containsExactlyInAnyOrderElementsOf(
            methods(VolumeController.class).stream()
                .filter(method -> method.getReturnType() != Listing.class)
                .filter(method -> !others.contains(method.getName()))
                .map(ControllerFamilyTest::signature)
                .toList());
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  /** What the public methods throw that is of another family. */
  private static List<String> strangers(VolumeController controller) {
    List<String> strangers = new ArrayList<>();
    List<Method> methods = methods(VolumeController.class);
    assertThat(methods).hasSizeGreaterThan(25);
    methods.forEach(method -> ask(controller, method, strangers));
    methods(AsyncVolumeController.class)
        .forEach(method -> ask(controller.async(), method, strangers));
    methods(SnapshotBackups.class).forEach(method -> ask(controller.backups(), method, strangers));
    return strangers;
  }

  private static List<Method> methods(Class<?> type) {
    return Stream.of(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> !method.getName().equals("close"))
        .sorted(Comparator.comparing(Method::toGenericString))
        .toList();
  }

  private static void ask(Object asked, Method method, List<String> strangers) {
    Object[] arguments =
        Arrays.stream(method.getGenericParameterTypes())
            .map(ControllerFamilyTest::argument)
            .toArray(Object[]::new);
    try {
      Object answer = method.invoke(asked, arguments);
      if (answer instanceof CompletionStage<?> stage) {
        stage.toCompletableFuture().join();
      } else if (answer instanceof Listing<?> listing) {
        read(listing, method, strangers);
      }
    } catch (InvocationTargetException | CompletionException e) {
      note(method, e.getCause(), strangers);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private static void read(Listing<?> listing, Method method, List<String> strangers) {
    try {
      listing.forEach(each -> {});
    } catch (RuntimeException e) {
      note(method, e, strangers);
    }
  }

  private static void note(Method method, Throwable thrown, List<String> strangers) {
    if (!(thrown instanceof ControllerException)) {
      strangers.add(method.getName() + ": " + thrown);
    }
  }

  private static Object argument(Type type) {
    if (type.getTypeName()
        .equals(Collection.class.getName() + "<" + CatalogVolume.class.getName() + ">")) {
      return List.of(argument(CatalogVolume.class));
    }
    return argument(
        type instanceof ParameterizedType of ? (Class<?>) of.getRawType() : (Class<?>) type);
  }

  private static Object argument(Class<?> type) {
    Map<Class<?>, Object> samples =
        Map.ofEntries(
            Map.entry(PluginId.class, PLUGIN),
            Map.entry(VolumeKey.class, KEY),
            Map.entry(VolumeSpec.class, SPEC),
            Map.entry(CatalogVolume.class, CatalogVolume.builder(KEY, SPEC, HANDLE).build()),
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
            Map.entry(ClaimOverride.Person.class, new ClaimOverride.Person("ada")),
            // Asked of volumes that are on record, of which there are none.
            Map.entry(Function.class, Function.identity()),
            Map.entry(ReasonText.class, new ReasonText("it is gone")),
            Map.entry(
                OperatorMessage.class,
                Messages.of(OperatorCode.STEP_FAILED, Subject.of("expanding"), "it did not")),
            Map.entry(Snapshot.class, snapshot()),
            Map.entry(
                ClaimRequest.class,
                ClaimRequest.builder(
                        VolumeUse.of(KEY, WorkloadId.of("web-1")),
                        NodeName.of("n1"),
                        new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                        ClaimMode.WRITE)
                    .nodeId(NodeId.of("node-1"))
                    .build()));
    Object sample = samples.get(type);
    assertThat(sample).as("a value for %s", type).isNotNull();
    return sample;
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
