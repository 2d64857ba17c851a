package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.VolumeMounter;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a manager is asked, and in whatever state it is: what it throws has a code. */
class FailureFamilyTest {

  private static final PluginId PLUGIN = PluginId.of("gone.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeKey KEY = VolumeKey.of("db-1");
  private static final VolumeUse USE = VolumeUse.of(KEY, WorkloadId.of("web-1"));

  @TempDir private Path temp;

  private final MemoryMedium medium = MemoryMedium.create();
  private final StateStore state = medium.open();

  private PluginBinding binding() {
    return PluginBinding.builder(PLUGIN, CsiEndpoint.of(temp.resolve("csi.sock")))
        .policy(MountPolicy.builder().attempts(1).build())
        .build();
  }

  private VolumeManager open(PluginBinding... plugins) {
    VolumeManager.Builder builder =
        VolumeManager.builder(temp.resolve("root"))
            .state(state)
            .settings(
                ManagerSettings.builder()
                    .patience(Duration.ofMillis(100))
                    .closing(Duration.ofMillis(10))
                    .build());
    Arrays.stream(plugins).forEach(builder::plugin);
    return builder.open();
  }

  @Test
  void withoutAPlugin() {
    try (VolumeManager manager = open()) {
      assertThat(strangers(manager)).isEmpty();
    }
  }

  @Test
  void withAPluginThatIsNotThere() {
    try (VolumeManager manager = open(binding())) {
      assertThat(strangers(manager)).isEmpty();
    }
  }

  @Test
  void withAStateThatAnotherHasTaken() {
    try (VolumeManager manager = open(binding())) {
      state.close();

      assertThat(strangers(manager)).isEmpty();
    }
  }

  @Test
  void afterItWasClosed() {
    VolumeManager manager = open(binding());
    manager.close();

    assertThat(strangers(manager)).isEmpty();
  }

  /** The others read what the manager knows, or the mount table. */
  @Test
  void eachMethodThatWaitsForAnOperationIsInBothFaces() {
    Set<String> others = Set.of("async", "explain", "hasMount", "status", "usage", "volumes");
    assertThat(AsyncVolumeMounter.class.getMethods())
        .extracting(FailureFamilyTest::signature)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(VolumeMounter.class.getMethods())
                .filter(method -> !method.isDefault() && !others.contains(method.getName()))
                .map(FailureFamilyTest::signature)
                .toList());
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  /** What the public methods throw that is of another family. */
  private List<String> strangers(VolumeManager manager) {
    List<String> strangers = new ArrayList<>();
    List<Method> methods = new ArrayList<>();
    for (Class<?> each : List.of(VolumeManager.class, VolumeMounter.class)) {
      Stream.of(each.getMethods())
          .filter(method -> !Modifier.isStatic(method.getModifiers()))
          .filter(method -> method.getDeclaringClass() != Object.class)
          .filter(method -> !method.getName().equals("close"))
          .forEach(methods::add);
    }
    assertThat(methods).hasSizeGreaterThan(30);
    methods.sort(Comparator.comparing(Method::toGenericString));
    methods.forEach(method -> ask(manager, method, strangers));
    Stream.of(AsyncVolumeMounter.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .forEach(method -> ask(manager.async(), method, strangers));
    return strangers;
  }

  private void ask(Object asked, Method method, List<String> strangers) {
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(this::argument).toArray(Object[]::new);
    try {
      Object answer = method.invoke(asked, arguments);
      if (answer instanceof CompletionStage<?> stage) {
        stage.toCompletableFuture().join();
      }
    } catch (InvocationTargetException | CompletionException e) {
      if (!(e.getCause() instanceof VolumeException)) {
        strangers.add(method.getName() + ": " + e.getCause());
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private Object argument(Class<?> type) {
    Map<Class<?>, Object> samples =
        Map.ofEntries(
            Map.entry(PluginId.class, PLUGIN),
            Map.entry(VolumeId.class, HANDLE),
            Map.entry(VolumeKey.class, KEY),
            Map.entry(VolumeUse.class, USE),
            Map.entry(WorkloadId.class, USE.workload()),
            Map.entry(PluginBinding.class, binding()),
            Map.entry(Duration.class, Duration.ofMillis(10)),
            Map.entry(Path.class, temp.resolve("report.zip")),
            Map.entry(String.class, "the machine is gone"),
            Map.entry(long.class, 1L),
            Map.entry(Collection.class, List.of(new WantedUse.Named(USE))),
            Map.entry(CapacityRange.class, CapacityRange.atLeast(1)),
            Map.entry(SecretsProvider.class, SecretsProvider.none()),
            Map.entry(
                NodeOrders.class,
                new NodeOrders(
                    NodeName.of("n1"),
                    1,
                    Optional.of("one"),
                    List.of(),
                    List.of(),
                    List.of(),
                    true)),
            Map.entry(
                MountRequest.class,
                MountRequest.builder(PLUGIN, USE, HANDLE, AccessMode.SINGLE_NODE_WRITER).build()));
    Object sample = samples.get(type);
    assertThat(sample).as("a value for %s", type).isNotNull();
    return sample;
  }
}
