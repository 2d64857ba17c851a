package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.micrometer.CsiMetrics;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.real.Closing;
import io.csi4j.opentelemetry.CsiTracing;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeRegistrar;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.testkit.mount.MemoryNamespace;
import io.csi4j.testkit.mount.OpenHandle;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.testkit.proxy.RecordedPlugin;
import io.csi4j.testkit.recording.Recording;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.coordination.ClaimsOfNodes;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.cluster.grpc.ControlPlaneServer;
import io.csi4j.volume.cluster.grpc.RemoteControlPlane;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.launch.PluginLaunchPlan;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import io.csi4j.volume.plugin.registration.RegistrationWatch;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.SealedStateStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.store.shared.PolledWatches;
import io.csi4j.volume.store.shared.StoreMemory;
import io.csi4j.volume.upkeep.HealthMonitor;
import io.csi4j.volume.upkeep.VolumeKeeper;
import io.csi4j.volume.workload.TaskMounts;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Everything that a host can close: twice, and by two threads at once while a third works with it.
 * Closing throws nothing, and the work ends with an exception of its own family, if with one.
 */
class ClosingTest {

  private static final PluginName NAME = PluginName.of("fake.csi4j.example");
  private static final PluginId PLUGIN = PluginId.of(NAME.value());
  private static final NodeName NODE = NodeName.of("n1");
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeUse STAYING = VolumeUse.of(DB, WorkloadId.of("web-0"));
  private static final VolumeUse WEB = VolumeUse.of(DB, WorkloadId.of("web-1"));
  private static final ClaimQuestion QUESTION = ClaimQuestion.of(new ClaimEpoch(NODE, WEB, 1));

  /**
   * What is closed elsewhere: stores on servers by the suite for stores, in their modules. What a
   * host implements is closed nowhere.
   */
  private static final Set<String> ELSEWHERE =
      Set.of("EtcdStore", "PostgresStore", "OrchestratorUnderTest", "RecordStoreFixture.Place");

  @TempDir private Path temp;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** A subject that is open, and what is done with it meanwhile. */
  private record Used(AutoCloseable subject, Closing.Operation operation) {}

  private interface Opening {
    Used in(ClosingTest test) throws Exception;
  }

  /** The types that can be closed, each with the way to one. */
  enum Type {
    VOLUME_MANAGER(
        VolumeManager.class,
        test -> {
          VolumeManager manager = test.manager();
          manager.mount(request(STAYING));
          List<WantedUse> live = List.of(new WantedUse.Named(STAYING));
          return new Used(
              manager,
              () -> {
                manager.keepOnly(live);
                manager.mount(request(WEB));
                manager.unmount(WEB);
                manager.reconcile(live);
              });
        }),
    PLUGIN_DRAIN(
        PluginDrain.class,
        test -> {
          PluginDrain drain = test.manager().drain(PLUGIN, Duration.ofHours(1));
          return new Used(drain, drain::holders);
        }),
    PLUGIN_HANDLE(
        PluginHandle.class,
        test -> {
          PluginHandle handle = InMemoryPluginRegistry.open().register(test.registration());
          return new Used(handle, handle::registration);
        }),
    PLUGIN_REGISTRY(
        PluginRegistry.Closeable.class,
        test -> {
          PluginRegistry.Closeable registry = InMemoryPluginRegistry.open();
          PluginRegistration registration = test.registration();
          return new Used(registry, () -> registry.register(registration).close());
        }),
    PLUGIN_SUPERVISOR(
        PluginSupervisor.class,
        test -> {
          PluginSupervisor supervisor = PluginSupervisor.open(InMemoryPluginRegistry.open());
          supervisor.supervise(test.config());
          return new Used(supervisor, () -> supervisor.supervise(test.config()).close());
        }),
    SUPERVISED_PLUGIN(
        SupervisedPlugin.class,
        test -> {
          PluginSupervisor supervisor =
              test.kept(PluginSupervisor.open(InMemoryPluginRegistry.open()));
          SupervisedPlugin supervised = supervisor.supervise(test.config());
          return new Used(supervised, supervised::refresh);
        }),
    REGISTRATION_WATCH(
        RegistrationWatch.class,
        test -> {
          RegistrationWatch watch =
              RegistrationWatch.builder(test.temp, InMemoryPluginRegistry.open()).open();
          return new Used(watch, watch::registered);
        }),
    PROCESS_PLUGIN_LAUNCHER(
        ProcessPluginLauncher.class,
        test -> {
          ProcessPluginLauncher launcher =
              ProcessPluginLauncher.builder(
                      PluginLaunchPlan.of(test.config()), List.of("/bin/sleep", "600"))
                  .start();
          return new Used(launcher, launcher::restart);
        }),
    VOLUME_CONTROLLER(
        VolumeController.class,
        test -> {
          VolumeController controller = test.controller();
          return new Used(controller, () -> controller.offered(PLUGIN));
        }),
    CLUSTER(
        Cluster.class,
        test -> {
          Cluster cluster = test.cluster();
          return new Used(cluster, () -> cluster.standing(QUESTION));
        }),
    CLAIMS_OF_NODES(
        ClaimsOfNodes.class,
        test -> {
          ClaimsOfNodes nodes = new ClaimsOfNodes(test.kept(test.cluster()).claims());
          return new Used(nodes, () -> nodes.of(NODE, Set.of(DB)));
        }),
    CONTROL_PLANE_SERVER(
        ControlPlaneServer.class,
        test -> {
          ControlPlaneServer server = test.server();
          RemoteControlPlane asking =
              test.kept(RemoteControlPlane.of(NODE, List.of(server.endpoint())));
          return new Used(server, () -> asking.standing(QUESTION));
        }),
    REMOTE_CONTROL_PLANE(
        RemoteControlPlane.class,
        test -> {
          ControlPlaneServer server = test.kept(test.server());
          RemoteControlPlane remote = RemoteControlPlane.of(NODE, List.of(server.endpoint()));
          return new Used(remote, () -> remote.standing(QUESTION));
        }),
    NODE_AGENT(
        NodeAgent.class,
        test -> {
          NodeAgent agent =
              NodeAgent.builder(NODE, test.temp.resolve("agent"), test.kept(test.cluster()))
                  .manager(manager -> manager.state(MemoryMedium.create().open()))
                  .open();
          return new Used(agent, agent::exchange);
        }),
    HEALTH_MONITOR(
        HealthMonitor.class,
        test -> {
          HealthMonitor monitor =
              HealthMonitor.builder(test.kept(test.controller())).timer(false).open();
          return new Used(monitor, monitor::look);
        }),
    VOLUME_KEEPER(
        VolumeKeeper.class,
        test -> {
          VolumeKeeper keeper =
              VolumeKeeper.builder().chore("nothing", Duration.ofMillis(1), () -> "").open();
          return new Used(keeper, keeper::keepNow);
        }),
    HELD_TASK_MOUNTS(
        TaskMounts.Held.class,
        test -> {
          MemoryKernel kernel = new MemoryKernel();
          TaskMounts.Held held = TaskMounts.none().hold(MountPath.ROOT, kernel.mounts());
          return new Used(held, held::held);
        }),
    STATE_STORE(StateStore.class, test -> used(MemoryMedium.create().open())),
    JOURNAL_STATE_STORE(
        JournalStateStore.class,
        test ->
            used(
                JournalStateStore.open(
                    Files.createDirectory(test.temp.resolve("state")),
                    JournalSettings.builder().acceptAnyFilesystem(true).build()))),
    SEALED_STATE_STORE(
        SealedStateStore.class,
        test ->
            used(
                SealedStateStore.on(
                    MemoryMedium.create().open(),
                    AesGcmSealer.of(AesGcmSealer.Keys.of("k", new byte[32]))))),
    RECORD_STORE(RecordStore.class, test -> used(new MemoryStore())),
    MEMORY_STORE(MemoryStore.class, test -> used(new MemoryStore())),
    LOCAL_STORE(
        LocalStore.class,
        test -> used(LocalStore.open(Files.createDirectory(test.temp.resolve("claims"))))),
    RECORD_WATCH(
        Watch.class,
        test -> {
          Watch watch = test.kept(new MemoryStore()).watch(RecordKey.Space.CLAIMS);
          return new Used(watch, () -> watch.next(Duration.ZERO));
        }),
    POLLED_WATCHES(
        PolledWatches.class,
        test -> {
          StoreIdentity identity = new StoreIdentity("one");
          StoreMemory memory =
              new StoreMemory(
                  "it is at version", Optional.empty(), identity, "settle()", Optional.empty(), 0);
          PolledWatches watches =
              new PolledWatches(
                  "closing-test",
                  memory,
                  Duration.ofMillis(1),
                  "the server",
                  (space, version, limit) ->
                      new PolledWatches.Writes(identity, version, 0, version, List.of()));
          return new Used(
              watches, () -> watches.begin(RecordKey.Space.CLAIMS, 0).next(Duration.ZERO));
        }),
    OPEN_PATH(
        OpenPath.class,
        test -> {
          OpenPath open = Mounts.system().open(MountPath.of("/proc"));
          return new Used(open, open::isDirectory);
        }),
    WATCHING(
        MountWatch.Watching.class,
        test -> {
          MemoryNamespace host = new MemoryKernel().host();
          MountWatch.Watching watching = host.watch().start(event -> {});
          return new Used(watching, watching::source);
        }),
    CSI_PLUGIN(
        CsiPlugin.class,
        test -> {
          CsiPlugin plugin = CsiPlugin.connect(test.fake().nodeEndpoint());
          return new Used(plugin, () -> plugin.identity().getPluginInfo());
        }),
    METADATA_STREAM(
        MetadataStream.class,
        test -> {
          FakeCsiPlugin fake = test.kept(FakeCsiPlugin.open());
          CsiPlugin plugin = test.kept(CsiPlugin.connect(fake.endpoint()));
          MetadataStream stream =
              plugin
                  .snapshotMetadata()
                  .getMetadataAllocated(
                      GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1")).build());
          return new Used(
              stream,
              () -> {
                boolean unused = stream.hasNext();
              });
        }),
    PLUGIN_REGISTRAR(
        PluginRegistrar.class,
        test -> {
          PluginRegistrar registrar =
              PluginRegistrar.connect(CsiEndpoint.of(test.registrar().socket()));
          return new Used(registrar, registrar::info);
        }),
    FAULT_RULE(
        FaultRule.class,
        test -> {
          FaultRule rule = test.fake().inject(Fault.hang(), When.anyCall());
          return new Used(rule, rule::hits);
        }),
    TEST_PLUGIN(TestPlugin.class, test -> used(FakeCsiPlugin.open())),
    FAKE_CSI_PLUGIN(FakeCsiPlugin.class, test -> used(FakeCsiPlugin.open())),
    HOST_PATH_PLUGIN(
        HostPathPlugin.class,
        test -> used(HostPathPlugin.builder(test.temp.resolve("data")).open())),
    RECORDED_PLUGIN(
        RecordedPlugin.class,
        test -> used(RecordedPlugin.open(Recording.parse("none", List.of())))),
    FAKE_REGISTRAR(
        FakeRegistrar.class,
        test -> {
          FakeRegistrar registrar = test.registrar();
          return new Used(registrar, registrar::told);
        }),
    CSI_PROXY(
        CsiProxy.class,
        test -> {
          CsiProxy proxy = CsiProxy.open(test.fake().nodeEndpoint());
          return new Used(proxy, proxy::journal);
        }),
    HELD(
        OpenHandle.class,
        test -> {
          MemoryNamespace host = new MemoryKernel().host();
          OpenHandle held = host.open(MountPath.ROOT);
          return new Used(held, held::pid);
        }),
    MEMORY_NAMESPACE(
        MemoryNamespace.class,
        test -> {
          MemoryNamespace namespace = new MemoryKernel().host().unshare();
          return new Used(namespace, () -> namespace.exists(MountPath.ROOT));
        }),
    CONFORMANCE_RUN(
        ConformanceRun.class,
        test -> {
          ConformanceRun run =
              PluginConformance.open(PluginUnderTest.builder(test.fake().nodeEndpoint()).build());
          return new Used(run, run::stop);
        }),
    CSI_METRICS(
        CsiMetrics.class,
        test -> {
          CsiMetrics metrics = CsiMetrics.bindTo(new SimpleMeterRegistry());
          VolumeManager manager = test.manager();
          return new Used(metrics, () -> metrics.watch(manager).close());
        }),
    CSI_TRACING(
        CsiTracing.class,
        test -> {
          CsiTracing tracing = CsiTracing.of(OpenTelemetry.noop());
          return new Used(tracing, tracing::volumes);
        });

    private final Class<? extends AutoCloseable> type;

    @SuppressWarnings("ImmutableEnumChecker") // each is a lambda without a state
    private final Opening opening;

    Type(Class<? extends AutoCloseable> type, Opening opening) {
      this.type = type;
      this.opening = opening;
    }

    private static Used used(StateStore store) {
      StateKey key = StateKey.volume("0123456789abcdef");
      return new Used(
          store,
          () -> {
            store.put(key, StateValue.of(new byte[1]), Durability.REQUIRED);
            store.load();
          });
    }

    private static Used used(RecordStore store) {
      return new Used(
          store,
          () -> {
            store.read(RecordKey.of(RecordKey.Space.CLAIMS, DB));
            store.scan(RecordKey.Space.CLAIMS, Optional.empty(), 1);
            store.watch(RecordKey.Space.CLAIMS).close();
          });
    }

    private static Used used(TestPlugin plugin) {
      return new Used(plugin, plugin::journal);
    }

    private String shown() {
      return ClosingTest.shown(type.getName());
    }
  }

  private static String shown(String name) {
    return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
  }

  private <T extends AutoCloseable> T kept(T part) {
    opened.push(part);
    return part;
  }

  private FakeCsiPlugin fake() {
    FakeCsiPlugin fake = kept(FakeCsiPlugin.open(PluginShape.nodeOnly()));
    fake.addVolume(VolumeId.of("vol-1"));
    return fake;
  }

  private PluginRegistration registration() {
    return PluginRegistration.node(PluginBinding.of(PLUGIN, fake().nodeEndpoint()));
  }

  private PluginConfig config() {
    return PluginConfig.builder(NAME.value(), temp.resolve("csi"))
        .volumeRoot(temp.resolve("root"))
        .build();
  }

  private FakeRegistrar registrar() {
    return kept(FakeRegistrar.open(temp, NAME, fake().nodeEndpoint()));
  }

  private VolumeController controller() {
    return VolumeController.builder(
            InMemoryPluginRegistry.open(), LocalStore.on(MemoryMedium.create().open()))
        .open();
  }

  private Cluster cluster() {
    return Cluster.builder(kept(InMemoryPluginRegistry.open()), kept(new MemoryStore())).open();
  }

  private ControlPlaneServer server() throws IOException {
    return ControlPlaneServer.open(
        kept(cluster()), ClusterEndpoint.unix(temp.resolve("control-plane")));
  }

  private VolumeManager manager() {
    return kept(
        VolumeManager.builder(temp.resolve("root"))
            .state(MemoryMedium.create().open())
            .plugin(
                PluginBinding.builder(PLUGIN, fake().nodeEndpoint())
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build())
            .open());
  }

  private static MountRequest request(VolumeUse usage) {
    return MountRequest.builder(
            PLUGIN, usage, VolumeId.of("vol-1"), AccessMode.MULTI_NODE_MULTI_WRITER)
        .build();
  }

  @AfterEach
  void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void itIsClosedTwiceAndByTwoThreadsWhileItIsUsed(Type type) throws Exception {
    Used used = type.opening.in(this);
    assertThat(Closing.whileUsed(used.subject(), used.operation())).isEmpty();
  }

  @Test
  void everyTypeThatAHostCanCloseIsTriedHereOrElsewhere() {
    Set<String> closed =
        PublishedModules.modules().stream()
            .map(PublishedModules::compiled)
            .flatMap(module -> closeable(PublicApi.of(module)))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> tried = new TreeSet<>(ELSEWHERE);
    Stream.of(Type.values()).map(Type::shown).forEach(tried::add);
    assertThat(tried).isEqualTo(closed);
  }

  private static Stream<String> closeable(PublicApi api) {
    return api.module().classes().stream()
        .filter(type -> api.exported().contains(type.getPackageName()))
        .filter(type -> type.isAssignableTo(AutoCloseable.class))
        .filter(ClosingTest::isShown)
        .map(JavaClass::getName)
        .map(ClosingTest::shown);
  }

  private static boolean isShown(JavaClass type) {
    return (type.getModifiers().contains(JavaModifier.PUBLIC)
            || type.getEnclosingClass().filter(JavaClass::isInterface).isPresent())
        && type.getEnclosingClass().map(ClosingTest::isShown).orElse(true);
  }
}
