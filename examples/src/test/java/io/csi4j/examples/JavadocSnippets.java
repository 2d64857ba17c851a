package io.csi4j.examples;

import io.csi4j.client.CsiConnection;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.micrometer.CsiMetrics;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.opentelemetry.CsiTracing;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.testkit.proxy.JsonCall;
import io.csi4j.testkit.proxy.RecordedPlugin;
import io.csi4j.testkit.recording.Recording;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.backup.BlockRangeFile;
import io.csi4j.volume.backup.SnapshotSchedule;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.catalog.view.VolumesView;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.claim.view.ClaimsView;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControlPlaneStatus;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.SnapshotBackups;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.controller.VolumeExplanation;
import io.csi4j.volume.manager.ManagerView;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.NodeWire;
import io.csi4j.volume.node.SentSecrets;
import io.csi4j.volume.node.VolumeMounter;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.StoreMove;
import io.csi4j.volume.upkeep.HealthMonitor;
import io.csi4j.volume.upkeep.Reaper;
import io.csi4j.volume.upkeep.VolumeKeeper;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.Wire;
import io.csi4j.volume.workload.Preflight;
import io.csi4j.volume.workload.ResolvedVolume;
import io.csi4j.volume.workload.TaskRuntime;
import io.csi4j.volume.workload.VolumeMount;
import io.csi4j.volume.workload.VolumeRequest;
import io.csi4j.volume.workload.WorkloadVolumes;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** The examples in the Javadoc of the entry points, by the names of the types. */
final class JavadocSnippets {

  private JavadocSnippets() {}

  static void client(CsiEndpoint endpoint, CreateVolumeRequest request, Consumer<Volume> use) {
    // snippet: CsiPlugin
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
      if (plugin.controller().getCapabilities().offers(ControllerCapability.CREATE_DELETE_VOLUME)) {
        use.accept(plugin.controller().createVolume(request));
      }
    }
    // end
  }

  static void connection(CsiEndpoint endpoint, ConnectOptions options, Consumer<Object> log) {
    // snippet: CsiConnection
    CsiConnection connection = CsiConnection.to(endpoint);
    ConnectOptions atOnce = options.toBuilder().requireReady(false).build();
    try (CsiPlugin volumes = connection.connect(options);
        CsiPlugin health = connection.connect(atOnce)) { // over the same socket
      log.accept(health.identity().probe().isReady());
      log.accept(volumes.node().getInfo());
    }
    // end
  }

  static void table(MountPath path, Consumer<Object> log) {
    // snippet: MountTable
    MountTable table = MountTable.system();
    for (MountRecord mount : table.list().records()) {
      log.accept(mount.path() + " shows " + mount.source());
    }
    log.accept(table.probe(path)); // a mount, no mount, or a dead one: never waits for its server
    // end
  }

  static void mounts(MountPath volume, MountPath target) {
    // snippet: Mounts
    Mounts mounts = Mounts.system();
    MountResult bound = mounts.bind(BindRequest.builder(volume, target).createTarget(true).build());
    mounts.unmount(bound.ref(), UnmountPolicy.PLAIN);
    // end
  }

  static void watch(Consumer<Object> log, Runnable host) {
    // snippet: MountWatch
    try (MountWatch.Watching watching = MountWatch.system().start(log::accept)) {
      log.accept(watching.start()); // every event is a change to these mounts
      host.run();
    }
    // end
  }

  static void manager(
      Path directory, PluginBinding plugin, List<WantedUse> live, MountRequest request) {
    // snippet: VolumeManager
    try (VolumeManager manager = VolumeManager.open(directory)) { // recovers what is mounted
      manager.register(plugin);
      manager.reconcile(live); // once after a start: all that is still wanted
      MountedVolume mounted = manager.mount(request);
      System.out.println(mounted.path());
      manager.unmount(request.usage());
    }
    // end
  }

  static MountRequest facts(PluginId plugin, VolumeUse usage, VolumeId handle) {
    // snippet: WorkloadFacts
    WorkloadFacts facts = WorkloadFacts.of(usage).withServiceAccount("web");
    MountRequest request =
        MountRequest.builder(plugin, usage, handle, AccessMode.SINGLE_NODE_WRITER)
            .workloadFacts(facts) // in NodePublishVolume, and nowhere else
            .build();
    // end
    return request;
  }

  static void metrics(
      MeterRegistry registry, Path directory, PluginId plugin, CsiEndpoint endpoint) {
    // snippet: CsiMetrics
    CsiMetrics metrics = CsiMetrics.bindTo(registry); // one for a registry
    ConnectOptions options =
        ConnectOptions.builder().listener(metrics.calls(plugin.value())).build();
    VolumeManager manager =
        VolumeManager.builder(directory)
            .listener(metrics.volumes())
            .plugin(PluginBinding.builder(plugin, endpoint).connectOptions(options).build())
            .open();
    metrics.watch(manager); // volumes, uses, what is owed and in doubt, plugins
    // end
  }

  static VolumeManager traces(OpenTelemetry telemetry, Path directory, PluginBinding plugin) {
    // snippet: CsiTracing
    CsiTracing tracing = CsiTracing.of(telemetry);
    VolumeManager manager =
        VolumeManager.builder(directory).listener(tracing.volumes()).plugin(plugin).open();
    // end
    return manager;
  }

  static ManagerSettings permission(Map<VolumeIdentity, Namespace> owners) {
    // snippet: VolumePermission
    VolumePermission permission = // the namespace of the tenant is a part of the volume's name
        wish ->
            wish.usage().volume().namespace().equals(wish.volume().map(owners::get).orElse(null));
    ManagerSettings settings = ManagerSettings.builder().permission(permission).build();
    // end
    return settings;
  }

  static ManagerSettings flags() {
    // snippet: MountFlagPolicy
    MountFlagPolicy policy =
        MountFlagPolicy.any().withAllowed("noatime", "discard").withAdded("nosuid", "nodev");
    ManagerSettings settings = ManagerSettings.builder().mountFlags(policy).build();
    // end
    return settings;
  }

  static void held(MountPath root, MountPath target, Consumer<MountPath> runtime) {
    // snippet: OpenPath
    try (OpenPath volume = Mounts.system().beneath(root).open(target);
        OpenPath data = volume.resolve("tenants/7")) { // follows no link, stays inside
      runtime.accept(data.throughProc()); // exactly the open file, even if the path has changed
    }
    // end
  }

  static void supervisor(VolumeManager manager, PluginConfig config, Consumer<Object> log) {
    // snippet: PluginSupervisor
    try (PluginSupervisor supervisor = PluginSupervisor.open(manager.plugins());
        SupervisedPlugin plugin = supervisor.supervise(config)) { // registered while it is ready
      manager.plugins().await(config.id(), PluginRole.NODE, Duration.ofMinutes(1)).join();
      log.accept(plugin.health().state());
    }
    // end
  }

  static void registry(PluginRegistry registry, PluginId plugin, Consumer<Object> log) {
    // snippet: PluginRegistry
    RegisteredPlugin node =
        registry.await(plugin, PluginRole.NODE, Duration.ofMinutes(1)).join(); // ready by then
    log.accept(node.registration().binding());
    // end
  }

  static void inMemoryRegistry(PluginBinding binding, Consumer<Object> log) {
    // snippet: InMemoryPluginRegistry
    try (PluginRegistry.Closeable plugins = InMemoryPluginRegistry.open()) {
      plugins.register(PluginRegistration.controller(binding));
      log.accept(plugins.get(binding.id(), PluginRole.CONTROLLER));
    }
    // end
  }

  static void workload(
      WorkloadId workload, ResolvedVolume.Lookup volumes, TaskRuntime task, VolumeManager manager) {
    // snippet: WorkloadVolumes
    WorkloadVolumes wanted =
        WorkloadVolumes.builder(workload, volumes) // finds what the host knows of "db"
            .volume(
                VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
                    .accessMode("single-node-writer")
                    .attachment("filesystem")
                    .build())
            .task(task, VolumeMount.builder("data").destination("/var/lib/db").build())
            .build();
    List<MountedVolume> mounted = wanted.mountAll(manager);
    // end
    mounted.forEach(System.out::println);
  }

  static void preflight(VolumeManager manager, WorkloadVolumes wanted, Consumer<String> log) {
    // snippet: Preflight
    Preflight.of(manager).check(wanted).obstacles().stream() // calls no plugin
        .map(obstacle -> obstacle.line())
        .forEach(log);
    // end
  }

  static void claims(
      RecordStore store,
      StorageController storage,
      ClaimRequest request,
      VolumeManager node,
      Consumer<Object> log) {
    // snippet: ClaimCoordinator
    Clock clock = Clock.systemUTC();
    ClaimCoordinator claims =
        new ClaimCoordinator(new ClaimBook(store, clock), storage, clock, log::accept);
    ClaimGrant grant = claims.acquire(request); // claimed, and attached to its node
    claims.release(grant.usage());
    NodeReceipt receipt = node.receipt(grant.usage(), grant.epoch()); // nothing is left there
    claims.confirmRelease(receipt); // detached, and free for the next one
    // end
  }

  /** The agent of a node, as a control plane reaches it. */
  interface Agent {
    void mount(CatalogVolume volume, ClaimGrant grant);

    NodeReceipt receipt(VolumeUse usage, long epoch);
  }

  static void job(
      VolumeController controller,
      ClaimCoordinator coordinator,
      PluginId plugin,
      ClaimRequest request,
      Agent node) {
    // snippet: JobVolumes
    JobVolumes volumes = new JobVolumes(controller, coordinator);
    JobVolumes.Acquired scratch =
        volumes.acquire(
            VolumeSpec.builder(plugin)
                .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                .capacity(CapacityRange.atLeast(1L << 30))
                .ephemeral(true) // without this it is retained
                .build(),
            request); // of volume JobVolumes.job(namespace, "render").volume("scratch")
    node.mount(scratch.volume(), scratch.grant());

    volumes.release(request.usage()); // the task has ended
    volumes.confirmRelease(node.receipt(request.usage(), scratch.grant().epoch())); // deleted
    // end
  }

  static void agent(
      NodeName node,
      Path directory,
      ControlPlane controlPlane,
      PluginConfig.Builder config,
      VolumeUse usage,
      Consumer<Object> log) {
    // snippet: NodeAgent
    try (NodeAgent agent = NodeAgent.builder(node, directory, controlPlane).plugin(config).open()) {
      MountedVolume mounted = agent.mount(usage); // claimed for this node by the control plane
      log.accept(mounted.path());
      agent.release(usage); // the workload has ended
    }
    // end
  }

  static void cluster(
      PluginId plugin,
      CsiEndpoint endpoint,
      RecordStore store,
      VolumeUse usage,
      VolumeRequest request,
      Consumer<Object> log) {
    // snippet: Cluster
    try (Cluster cluster = Cluster.builder(store).plugin(plugin, endpoint).open()) {
      NodeName node = cluster.nodesFor(usage, request).best().orElseThrow();
      ClaimGrant grant = cluster.acquire(node, usage, request); // its agent may mount it now
      log.accept(grant.epoch());
      log.accept(cluster.release(usage)); // the agent gives it back with its next exchange
    }
    // end
  }

  static void controller(PluginRegistry plugins, RecordStore store, PluginId plugin) {
    // snippet: VolumeController
    try (VolumeController controller = VolumeController.builder(plugins, store).open()) {
      CatalogVolume made =
          controller.create(
              VolumeKey.of("db"),
              VolumeSpec.builder(plugin)
                  .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                  .capacity(CapacityRange.atLeast(1L << 30))
                  .build());
      controller.delete(made.key());
    }
    // end
  }

  static VolumeController cluster(PluginRegistry plugins, RecordStore store) {
    // snippet: ClusterSetup
    ClusterIdentity blue = new ClusterSetup(store).create(); // once, by a person

    VolumeController controller =
        VolumeController.builder(plugins, store) // at each start
            .cluster(blue) // from the configuration: no other catalog is opened
            .open();
    // end
    return controller;
  }

  static CatalogVolume placement(
      VolumeController controller,
      ClaimBook book,
      VolumeKey key,
      VolumeSpec spec,
      List<Placement.Node> nodes) {
    // snippet: Placement
    Placement placement = Placement.builder(controller).claims(book).build();
    Placement.Report report = placement.candidates(spec, nodes); // the host's nodes, as values
    NodeName chosen = report.best().orElseThrow(() -> new IllegalStateException(report.text()));
    CatalogVolume made = controller.create(key, report.onlyOn(chosen));
    // end
    return made;
  }

  static void backups(
      SnapshotBackups backups,
      StorageSnippets.Application application,
      Instant tick,
      VolumeKey db,
      Consumer<Object> host) {
    // snippet: SnapshotBackups
    SnapshotName name = new SnapshotSchedule("nightly").nameAt(tick, db); // the same after a crash
    application.freeze();
    try {
      backups.cut(db, name, Map.of()); // returns when the snapshot is cut, ready or not
    } finally {
      application.thaw();
    }
    Snapshot ready = backups.ready(db, name); // also after a restart
    host.accept(ready); // the host notes it in its own list
    backups.keep(db, name);
    // end
  }

  static void ranges(
      SnapshotBackups backups,
      Path file,
      PluginId plugin,
      SnapshotId base,
      SnapshotId target,
      Consumer<Object> host)
      throws IOException {
    // snippet: BlockRangeFile
    BlockRangeFile.Content content = new BlockRangeFile.Content(plugin, Optional.of(base), target);
    BlockRangeFile written =
        BlockRangeFile.write(
            file, content, backups.changed(plugin, base, target, Optional.empty()));
    host.accept(written.count() + " ranges, " + written.bytes() + " bytes");
    BlockRangeFile.read(file).forEach(host::accept); // its checksum is right
    // end
  }

  static void health(VolumeController controller, Consumer<String> page) {
    // snippet: HealthMonitor
    try (HealthMonitor monitor =
        HealthMonitor.builder(controller)
            .every(Duration.ofMinutes(1))
            .listener(change -> page.accept(change.message().line()))
            .open()) {
      VolumeHealth health = monitor.health(VolumeKey.of("db"));
      health.worst().ifPresent(finding -> page.accept(finding.text()));
    }
    // end
  }

  static void state(Path directory, Consumer<Object> log) {
    // snippet: JournalStateStore
    try (StateStore state = JournalStateStore.open(directory, JournalSettings.defaults())) {
      log.accept(state.load()); // what is remembered, and what of it is in doubt
    }
    // end
  }

  static void fake(CreateVolumeRequest request) {
    // snippet: FakeCsiPlugin
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      fake.inject(
          Fault.fail(StatusCode.UNAVAILABLE, "restarting"),
          When.calling(CsiOperation.CREATE_VOLUME).once());
      plugin.controller().createVolume(request); // fails once, and is tried again
      fake.assertLawful();
    }
    // end
  }

  static void proxy(
      CsiEndpoint plugin, Path file, Consumer<CsiEndpoint> orchestrator, Consumer<Object> log) {
    // snippet: CsiProxy
    try (CsiProxy proxy = CsiProxy.builder(plugin).record(file).open()) {
      proxy.inject(Fault.applyThenHang(), When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
      orchestrator.accept(proxy.endpoint());
      proxy.assertLawful(); // the orchestrator
      proxy.findings().forEach(log); // the plugin
    }
    // end
  }

  static void recorded(Path file, Consumer<CsiEndpoint> orchestrator) {
    // snippet: RecordedPlugin
    try (RecordedPlugin recorded = RecordedPlugin.open(Recording.read(file))) {
      orchestrator.accept(recorded.endpoint());
      recorded.assertLawful();
    }
    // end
  }

  static void hostPath(Path data, Consumer<Object> log) throws Exception {
    // snippet: HostPathPlugin
    try (HostPathPlugin real = HostPathPlugin.builder(data).open();
        CsiPlugin plugin = CsiPlugin.connect(real.endpoint())) {
      log.accept(plugin.node().getInfo().nodeId());
      real.limits().forEach(log); // what this machine cannot do
    }
    // end
  }

  static void journalView(Path directory, Consumer<Object> log) {
    // snippet: JournalView
    JournalView view = JournalView.read(directory);
    view.state().uncertainties().forEach(log);
    view.refusal().ifPresent(log); // such as STATE_IN_USE
    // end
  }

  static void managerView(Path root, Consumer<Object> log) {
    // snippet: ManagerView
    ManagerView view = ManagerView.read(root);
    view.volumes().forEach(log); // what is on record
    view.pending().forEach(log); // the calls that are still to be sent to plugins
    view.troubles().forEach(log); // what stands in their way, and since when
    view.start().findings().forEach(log); // what a start would report to an operator
    // end
  }

  static void claimsView(Path directory, Consumer<Object> log) {
    // snippet: ClaimsView
    for (Claim claim : ClaimsView.read(directory).claims()) {
      log.accept(claim.volume() + ": " + claim.holders().keySet());
    }
    // end
  }

  static void volumesView(RecordStore store, Consumer<Object> log) {
    // snippet: VolumesView
    for (VolumesView.Volume each : VolumesView.all(store).volumes()) {
      log.accept(each.entry().key() + ": " + each.entry().changes());
    }
    // end
  }

  static void controlPlaneStatus(
      VolumeController controller, BiConsumer<VolumeKey, Optional<OperatorMessage>> alert) {
    // snippet: ControlPlaneStatus
    ControlPlaneStatus status = controller.status();
    status.pending().stream()
        .filter(ControlPlaneStatus.Pending::isHeld)
        .forEach(each -> alert.accept(each.volume(), each.failure())); // for a person
    // end
  }

  static void volumeExplanation(
      VolumeController controller, Consumer<OperatorMessage> alert, Consumer<String> log) {
    // snippet: VolumeExplanation
    VolumeExplanation why = controller.explain(VolumeKey.of("db-1"));
    why.pending().flatMap(ControlPlaneStatus.Pending::failure).ifPresent(alert);
    why.lines().forEach(log);
    // end
  }

  static void storeMove(Path directory, EtcdSettings etcd, Consumer<Object> log) {
    // snippet: StoreMove
    try (RecordStore from = LocalStore.open(directory);
        RecordStore to = EtcdStore.open(etcd)) {
      StoreMove.Result moved = StoreMove.run(from, to);
      log.accept(moved.records()); // how many of each space, after a comparison of all
    }
    // end
  }

  static PluginBinding mountPolicy(PluginId id, CsiEndpoint endpoint) {
    // snippet: MountPolicy
    MountPolicy policy =
        MountPolicy.builder()
            .requireStagingMount(true) // this plugin always mounts at the staging path
            .unstageMountedElsewhere(true) // and mounts the device for itself, too
            .holdDevices(true) // its devices could be detached by others
            .refreshInterval(Duration.ofMinutes(30)) // its tokens expire after an hour
            .retryBudget(20) // it gets 20 repeats at once, for all its volumes
            .build();
    PluginBinding binding = PluginBinding.builder(id, endpoint).policy(policy).build();
    // end
    return binding;
  }

  static void volumeKeeper(ClaimCoordinator claims, Reaper reaper, Consumer<Object> log) {
    // snippet: VolumeKeeper
    try (VolumeKeeper keeper =
        VolumeKeeper.builder()
            .resuming(claims)
            .reaping(reaper, Reaper.Throttle.oneEach(Duration.ofSeconds(1)))
            .listener(round -> log.accept(round.text()))
            .open()) {
      keeper.keepNow(); // all of it once, such as before a node is taken out of service
      keeper.chores().forEach(log);
    }
    // end
  }

  static void jsonCall(CsiPlugin plugin, Secrets secrets, Consumer<Object> log) {
    // snippet: JsonCall
    String volume = "{\"volume_id\": \"vol-1\"}";
    JsonCall call = JsonCall.of(CsiOperation.DELETE_VOLUME, volume).secrets(secrets);
    call.send(plugin).forEach(log); // {}
    // end
  }

  static void volumeMounter(VolumeMounter mounter, MountRequest request, Consumer<Object> log) {
    // snippet: VolumeMounter
    try {
      MountedVolume mounted = mounter.mount(request);
      log.accept(mounted.path());
      mounter.refresh(request); // published again, with the current secrets
      log.accept(mounter.unmount(request.usage())); // LAST: no workload here uses the volume
    } catch (VolumeException failed) {
      log.accept(failed.outcome() + " " + failed.getMessage());
    }
    // end
  }

  static MountRequest mountRequest(
      PluginId plugin, VolumeUse usage, VolumeId handle, WorkloadFacts facts) {
    // snippet: MountRequest
    MountRequest shared =
        MountRequest.builder(plugin, usage, handle, AccessMode.MULTI_NODE_MULTI_WRITER)
            .volumeOptions(MountOptions.none().withFsType("xfs"))
            .readOnly(true)
            .build();
    MountRequest inline = // a volume that lives with its workload
        MountRequest.inline(plugin, usage, AccessMode.SINGLE_NODE_WRITER)
            .workloadFacts(facts) // which workload it is, for the plugin
            .build();
    // end
    return shared.isInline() ? shared : inline;
  }

  static PluginConfig pluginConfig(Path sockets, Path volumes) {
    // snippet: PluginConfig
    PluginConfig config =
        PluginConfig.builder("ebs", sockets)
            .role("node")
            .volumeRoot(volumes)
            .infoInterval(Duration.ofMinutes(5)) // maximum age of the limits of its node
            .build();
    // end
    return config;
  }

  static void volumeChange(VolumeController controller, VolumeKey key, Consumer<Object> log) {
    // snippet: VolumeChange
    for (VolumeChange change : controller.changes(key)) {
      log.accept(change.request() + ": " + change.progress() + " " + change.seen());
      log.accept(change.next()); // what the host does next, in sentences
    }
    // end
  }

  static void csiListener(CsiEndpoint endpoint, Consumer<Object> log) {
    // snippet: CsiListener
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onLost(Lost event) {
            log.accept(event.endpoint() + " is gone");
          }

          @Override
          public void onConnected(Connected event) {
            log.accept(event.endpoint() + " is served by " + event.peer());
          }
        };
    ConnectOptions options = ConnectOptions.builder().listener(listener).build();
    // end
    log.accept(options);
  }

  static void volumeFilter(PluginId plugin, Consumer<Object> log) {
    // snippet: VolumeFilter
    VolumeFilter wanted =
        VolumeFilter.all()
            .ofPlugin(plugin)
            .inNamespace(Namespace.of("shop"))
            .withPrefix("db-")
            .inState(VolumeSummary.State.CREATING, VolumeSummary.State.DELETING);
    // end
    log.accept(wanted);
  }

  static void volumeSummary(
      VolumeController controller,
      PluginId plugin,
      Function<PluginId, PluginView> plugins,
      Consumer<Object> log) {
    // snippet: VolumeSummary
    VolumeSummary.Page page =
        controller.summaries(VolumeFilter.all().ofPlugin(plugin), PageRequest.first(), plugins);
    for (VolumeSummary each : page.volumes()) {
      log.accept(each.key() + " " + each.state() + " " + each.writers());
    }
    // end
  }

  static void clusterMessage(byte[] received, Consumer<byte[]> next, Consumer<Object> log) {
    // snippet: ClusterMessage
    ClusterMessage message = ClusterMessage.decode(received);
    switch (message.kind()) {
      case NODE_REPORT -> log.accept(NodeWire.report(message));
      case REFUSAL -> log.accept(Wire.refusal(message).message().line());
      default -> next.accept(message.encode()); // also if only a newer version knows the kind
    }
    // end
  }

  static ClaimGrant wire(ClaimGrant granted) {
    // snippet: Wire
    byte[] sent = Wire.grant(granted).encode(); // in a control plane

    ClaimGrant grant = Wire.grant(ClusterMessage.decode(sent)); // on a node
    // end
    return grant;
  }

  static NodeReport nodeWire(NodeReport report) {
    // snippet: NodeWire
    byte[] sent = NodeWire.report(report).encode(); // on a node

    NodeReport received = NodeWire.report(ClusterMessage.decode(sent)); // in a control plane
    // end
    return received;
  }

  static Object sentSecrets(
      VolumeUse usage,
      Secrets secrets,
      Sealer sealer,
      ClusterMessage message,
      Function<String, SecretsProvider> byName) {
    // snippet: SentSecrets
    SentSecrets sent = // in a control plane, with the key that it shares with its nodes
        SentSecrets.sealed(usage, Map.of(CsiOperation.NODE_STAGE_VOLUME, secrets), sealer);

    NodeOrders orders = // on a node
        NodeWire.orders(message, (use, each) -> each.provider(use, byName, sealer));
    // end
    return List.of(sent, orders);
  }
}
