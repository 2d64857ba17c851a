package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.Errno;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.host.PublicCalls;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.registration.RegistrationWatch;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever fails below a manager: what its public methods throw has a code. */
class ManagerFamilyTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeKey KEY = VolumeKey.of("db-1");
  private static final VolumeUse WEB = VolumeUse.of(KEY, WorkloadId.of("web-1"));
  private static final int OFTEN = 20;

  @TempDir private Path temp;
  private final MemoryMedium medium = MemoryMedium.create();
  private final MemoryKernel kernel = new MemoryKernel();
  private final StateStore state = medium.open();
  private FakeCsiPlugin fake;
  private VolumeManager manager;

  private void open() {
    fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    fake.addVolume(HANDLE);
    manager =
        VolumeManager.builder(temp.resolve("root"))
            .state(state)
            .mounts(kernel.table(), kernel.mounts())
            .settings(
                ManagerSettings.builder()
                    .patience(Duration.ofMillis(30))
                    .closing(Duration.ofMillis(100))
                    .build())
            .plugin(binding())
            .open();
  }

  @AfterEach
  void close() {
    manager.close();
    fake.close();
  }

  private PluginBinding binding() {
    return PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
        .policy(
            MountPolicy.builder()
                .requireMount(false)
                .attempts(1)
                .attemptDeadline(Duration.ofMillis(20))
                .backoff(Duration.ofMillis(1))
                .backoffCap(Duration.ofMillis(4))
                .build())
        .build();
  }

  private PluginConfig config() {
    return PluginConfig.builder(PLUGIN.value(), temp.resolve("csi"))
        .volumeRoot(temp.resolve("root"))
        .build();
  }

  private static MountRequest request() {
    return MountRequest.builder(PLUGIN, WEB, HANDLE, AccessMode.SINGLE_NODE_WRITER).build();
  }

  private PublicCalls calls() {
    return new PublicCalls(
        OperatorException.class,
        Map.ofEntries(
            Map.entry(PluginId.class.getName(), PLUGIN),
            Map.entry(PluginBinding.class.getName(), binding()),
            Map.entry(PluginRegistration.class.getName(), PluginRegistration.node(binding())),
            Map.entry(InstanceId.class.getName(), InstanceId.ONLY),
            Map.entry(PluginRole.class.getName(), PluginRole.NODE),
            Map.entry(PluginEvent.Listener.class.getName(), (PluginEvent.Listener) event -> {}),
            Map.entry(VolumeId.class.getName(), HANDLE),
            Map.entry(VolumeKey.class.getName(), KEY),
            Map.entry(VolumeUse.class.getName(), WEB),
            Map.entry(WorkloadId.class.getName(), WEB.workload()),
            Map.entry(MountRequest.class.getName(), request()),
            Map.entry(SecretsProvider.class.getName(), SecretsProvider.none()),
            Map.entry(Collection.class.getName(), List.of(new WantedUse.Named(WEB))),
            Map.entry(CapacityRange.class.getName(), CapacityRange.atLeast(1)),
            Map.entry(Duration.class.getName(), Duration.ofMillis(20)),
            Map.entry(Path.class.getName(), temp.resolve("report.zip")),
            Map.entry(PluginConfig.class.getName(), config()),
            Map.entry(
                NodeOrders.class.getName(),
                new NodeOrders(
                    NodeName.of("n1"),
                    1,
                    Optional.of("one"),
                    List.of(),
                    List.of(),
                    List.of(),
                    true)),
            Map.entry(String.class.getName(), "of a test"),
            Map.entry("long", 1L)));
  }

  /**
   * Asks everything, each time with a volume that was mounted before, if that is possible.
   *
   * @param heals ends the fault, as far as it ends
   * @param breaks brings it about
   */
  private List<String> strangers(Runnable heals, Runnable breaks) {
    PublicCalls calls = calls();
    List<String> strangers = new ArrayList<>();
    Runnable prepared =
        () -> {
          heals.run();
          try {
            manager.register(binding());
            manager.mount(request());
          } catch (OperatorException alreadyBroken) {
            // What does not heal stays. The call that follows is made all the same.
          }
          breaks.run();
        };
    strangers.addAll(
        calls.strangers(
            VolumeManager.class,
            () -> {
              prepared.run();
              return manager;
            }));
    strangers.addAll(
        calls.strangers(
            AsyncVolumeMounter.class,
            () -> {
              prepared.run();
              return manager.async();
            }));
    strangers.addAll(
        calls.strangers(
            PluginRegistry.class,
            () -> {
              prepared.run();
              return manager.plugins();
            }));
    assertThat(calls.failures()).as("a fault without an effect proves nothing").isPositive();
    return strangers;
  }

  @ParameterizedTest
  @EnumSource(names = {"FAILED_PRECONDITION", "UNAVAILABLE"})
  void withAPluginThatAnswersWith(StatusCode code) {
    open();
    assertThat(
            strangers(
                fake::clearFaults, () -> fake.inject(Fault.fail(code, "broken"), When.anyCall())))
        .isEmpty();
  }

  @ParameterizedTest
  @Tag("campaign")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"OK", "FAILED_PRECONDITION", "UNAVAILABLE"})
  void withAPluginThatAnswersWithAnyCode(StatusCode code) {
    withAPluginThatAnswersWith(code);
  }

  @Test
  void withAPluginThatIsSilent() {
    open();
    assertThat(strangers(fake::clearFaults, () -> fake.inject(Fault.hang(), When.anyCall())))
        .isEmpty();
  }

  @Test
  void withAPluginThatEndsTheConnection() {
    open();
    assertThat(
            strangers(fake::clearFaults, () -> fake.inject(Fault.applyThenDrop(), When.anyCall())))
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"STATE_DISK_FULL", "STATE_TAKEN_OVER"})
  void withAStateThatRefusesWith(StateException.Reason reason) {
    open();
    assertThat(strangers(medium::accept, () -> medium.refuse(reason))).isEmpty();
  }

  @ParameterizedTest
  @Tag("campaign")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"STATE_DISK_FULL", "STATE_TAKEN_OVER"})
  void withAStateThatRefusesWithAnyReason(StateException.Reason reason) {
    withAStateThatRefusesWith(reason);
  }

  @Test
  void withAStateThatWasClosed() {
    open();
    assertThat(strangers(() -> {}, state::close)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"LOOK", "LIST"})
  void withAKernelThatRefusesTo(KernelCall call) {
    open();
    assertThat(
            strangers(
                () -> {},
                () -> {
                  for (int i = 0; i < OFTEN; i++) {
                    kernel.failNext(call, new Errno(5));
                  }
                }))
        .isEmpty();
  }

  @Test
  void withAFileInThePlaceOfItsVolumes() throws IOException {
    open();
    Path volumes = temp.resolve("root/v");
    assertThat(
            strangers(
                () -> {},
                () -> {
                  try {
                    if (Files.isDirectory(volumes)) {
                      Files.move(volumes, temp.resolve("aside"));
                      Files.createFile(volumes);
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }))
        .isEmpty();
  }

  @Test
  void withoutAManager() {
    open();
    fake.inject(Fault.hang(), When.anyCall());
    PublicCalls calls = calls();
    List<String> strangers = new ArrayList<>();
    for (boolean isClosed : List.of(false, true)) {
      PluginRegistry.Closeable registry = InMemoryPluginRegistry.open();
      PluginSupervisor supervisor = PluginSupervisor.open(registry);
      SupervisedPlugin plugin = supervisor.supervise(config());
      RegistrationWatch watch =
          RegistrationWatch.builder(temp.resolve("registrars"), registry).open();
      if (isClosed) {
        watch.close();
        supervisor.close();
        registry.close();
      }
      strangers.addAll(calls.strangers(PluginRegistry.class, registry));
      strangers.addAll(calls.strangers(PluginSupervisor.class, supervisor));
      strangers.addAll(calls.strangers(SupervisedPlugin.class, plugin));
      strangers.addAll(calls.strangers(RegistrationWatch.class, watch));
      watch.close();
      supervisor.close();
      registry.close();
    }
    assertThat(strangers).isEmpty();
  }

  @Test
  void afterItWasClosed() {
    open();
    manager.close();
    assertThat(strangers(() -> {}, () -> {})).isEmpty();
  }
}
