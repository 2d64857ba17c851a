package io.csi4j.volume.functional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.VirtualClock;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.real.CsiNodePlugins;
import io.csi4j.volume.internal.real.HeldDevices;
import io.csi4j.volume.internal.real.SystemKernelMounts;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.kill.HeldDuties;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node for a test: the engine with its production ports, a kernel in memory, test plugins on real
 * sockets that mount in it, and a state that outlives the engine. It can be killed, started again
 * and rebooted.
 *
 * <p>Closing it holds the aftermath: the caller kept its duties, nothing is left over, nobody
 * touched what is mounted, and what must stay secret is nowhere.
 */
final class Node implements AutoCloseable {

  /** Part of every value that must be nowhere but on the wire. */
  static final String CANARY = "canary-7d3f1c";

  /** The name of the first plugin. */
  static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");

  /** The directory of the manager. */
  static final MountPath ROOT = MountPath.of("/srv/csi");

  /** Patient with calls, impatient between them; asks no plugin for the health of volumes. */
  static final MountPolicy QUICK =
      MountPolicy.builder()
          .backoff(Duration.ofMillis(1))
          .backoffCap(Duration.ofMillis(4))
          .attemptDeadline(Duration.ofSeconds(20))
          .healthInterval(Duration.ZERO)
          .build();

  /** Whether a proxy stands before each plugin. */
  static final AtomicBoolean THROUGH_PROXY =
      new AtomicBoolean(Boolean.getBoolean("csi4j.functional.proxy"));

  private static final Map<CsiOperation, String> VERBS =
      Map.of(
          CsiOperation.NODE_STAGE_VOLUME, "Stage",
          CsiOperation.NODE_PUBLISH_VOLUME, "Publish",
          CsiOperation.NODE_UNPUBLISH_VOLUME, "Unpublish",
          CsiOperation.NODE_UNSTAGE_VOLUME, "Unstage",
          CsiOperation.NODE_EXPAND_VOLUME, "Expand",
          CsiOperation.NODE_GET_VOLUME_STATS, "Stats",
          CsiOperation.NODE_GET_VOLUME_HEALTH, "Health",
          CsiOperation.NODE_GET_STORAGE_HEALTH, "StorageHealth");

  private final MemoryKernel kernel = new MemoryKernel();
  private final MemoryDisk disk = new MemoryDisk(kernel.host(), ROOT);
  private final AtomicInteger processes = new AtomicInteger(1);
  private MemoryMedium medium = MemoryMedium.create();
  private final VirtualClock pluginClock = VirtualClock.create();
  private final TrickyEffects effects = new TrickyEffects(NodeEffects.mountingIn(kernel.host()));
  private final Map<PluginId, FakeCsiPlugin> plugins = new LinkedHashMap<>();
  private final Map<PluginId, CsiProxy> proxies = new LinkedHashMap<>();
  private final Map<PluginId, MountPolicy> policies = new LinkedHashMap<>();
  private final OpenDevices openDevices = new OpenDevices();
  private final VolumeLayout layout = new VolumeLayout(ROOT);
  private final ManagerSettings settings;
  private final ConnectOptions connecting;
  private final Claims claims;
  private final List<VolumeEvent> events = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final Set<DutyId> excused = new HashSet<>();
  private final List<String> shown = new CopyOnWriteArrayList<>();
  private volatile Consumer<VolumeEvent> whenTold = event -> {};
  private int firstEventOfThisLife;
  private long mountNamespace = 4_026_531_832L;
  private boolean leftovers;
  private SkippingTime time;
  private Incarnation life;
  private CsiNodePlugins bindings;
  private StateStore state;
  private VolumeEngine engine;

  private Node(Builder builder) {
    settings = builder.settings;
    claims = builder.claims;
    connecting =
        ConnectOptions.builder()
            .deadline(builder.connecting)
            .policies(policy -> policy.attemptDeadline(builder.connecting))
            .build();
    kernel.host().directory(ROOT);
    plug(PLUGIN, builder.shape, builder.policy);
    start();
  }

  /** A node with a plugin that stages. */
  static Node open() {
    return builder().open();
  }

  static Builder builder() {
    return new Builder();
  }

  /** What a node may be told at its start. */
  static final class Builder {
    private PluginShape shape = PluginShape.nodeOnly();
    private MountPolicy policy = QUICK;
    private Duration connecting = Duration.ofSeconds(10);
    private ManagerSettings settings = ManagerSettings.builder().threads(4).build();
    private Claims claims = Claims.NONE;

    /** Who is asked about claims. */
    Builder claims(Claims value) {
      claims = value;
      return this;
    }

    Builder shape(PluginShape value) {
      shape = value;
      return this;
    }

    Builder policy(MountPolicy value) {
      policy = value;
      return this;
    }

    /** How long a plugin is waited for that does not answer. */
    Builder connecting(Duration value) {
      connecting = value;
      return this;
    }

    Builder settings(ManagerSettings value) {
      settings = value;
      return this;
    }

    Node open() {
      return new Node(this);
    }
  }

  // ---- the world

  MemoryKernel kernel() {
    return kernel;
  }

  MemoryDisk disk() {
    return disk;
  }

  MemoryMedium medium() {
    return medium;
  }

  /** The first plugin. */
  FakeCsiPlugin plugin() {
    return plugins.get(PLUGIN);
  }

  /** The devices that the engine's process has open. */
  OpenDevices openDevices() {
    return openDevices;
  }

  /** What the plugins do to this node. */
  TrickyEffects effects() {
    return effects;
  }

  /** The time of the plugins. */
  VirtualClock pluginClock() {
    return pluginClock;
  }

  SkippingTime time() {
    return time;
  }

  /** Adds a plugin with this name, and makes it known. */
  FakeCsiPlugin plug(PluginId id, PluginShape shape, MountPolicy policy) {
    FakeCsiPlugin plugin =
        FakeCsiPlugin.builder()
            .shape(shape.named(PluginName.of(id.value())))
            .effects(effects)
            .clock(pluginClock)
            .open();
    plugins.put(id, plugin);
    if (THROUGH_PROXY.get()) {
      proxies.put(id, CsiProxy.builder(plugin.nodeEndpoint()).newPlugin(true).open());
    }
    policies.put(id, policy);
    if (bindings != null) {
      register(id);
    }
    return plugin;
  }

  /** Makes the first plugin known again, treated otherwise. */
  void registerAgain(MountPolicy policy) {
    policies.put(PLUGIN, policy);
    register(PLUGIN);
    engine.pluginChanged(PLUGIN);
  }

  private void register(PluginId id) {
    shown.add(
        bindings
            .register(
                PluginBinding.builder(id, endpoint(id))
                    .policy(policies.get(id))
                    .connectOptions(connecting)
                    .build())
            .toString());
  }

  /** Where the manager finds a plugin. */
  private CsiEndpoint endpoint(PluginId id) {
    CsiProxy proxy = proxies.get(id);
    return proxy == null ? plugins.get(id).nodeEndpoint() : proxy.endpoint();
  }

  // ---- the process

  /** Starts the engine's process. */
  void start() {
    start(true);
  }

  /** Starts the engine's process; the host has not made the plugins known yet. */
  void startWithoutPlugins() {
    start(false);
  }

  /** Makes all plugins known. */
  void registerAll() {
    plugins.keySet().forEach(this::register);
  }

  private void start(boolean withPlugins) {
    assertThat(life == null || life.isOver()).as("the process is not running").isTrue();
    everyStartHasOneEnd();
    firstEventOfThisLife = events.size();
    Incarnation newborn = new Incarnation(() -> medium.crash());
    life = newborn;
    time = new SkippingTime(settings.threads());
    bindings =
        new CsiNodePlugins(
            ROOT,
            time,
            time,
            new ProcessTable(processes::get),
            kernel.bootId(),
            settings.secretsLimit());
    if (withPlugins) {
      registerAll();
    }
    state = medium.open();
    VolumeDirectories directories = new VolumeDirectories(disk, layout);
    prepareRoot(directories);
    engine =
        VolumeEngine.open(
            new EngineParts(
                time,
                time,
                newborn.kernel(
                    new SystemKernelMounts(kernel.table(), kernel.mounts(), devices(), this::place)
                        .watchedBy(kernel.watch())
                        .holding(new HeldDevices(openDevices, openDevices.on(time)))),
                newborn.plugins(bindings),
                state,
                directories,
                layout,
                settings,
                newborn.points(),
                event -> {
                  if (!newborn.isOver()) {
                    events.add(event);
                    whenTold.accept(event);
                  }
                },
                claims));
    shown.add(engine.report().toString());
  }

  private void prepareRoot(VolumeDirectories directories) {
    try {
      shown.add(directories.prepareRoot().toString());
    } catch (PathProblem problem) {
      throw new AssertionError("The root cannot be used.", problem);
    }
  }

  private Place place() {
    return new Place(kernel.bootId(), mountNamespace);
  }

  /** Where device nodes are looked at, which is allowed at a mount. */
  private Disk devices() {
    return new MemoryDisk(kernel.host(), MountPath.of("/nowhere"));
  }

  /** Kills the process, as {@code kill -9} does. */
  void crash() {
    life.end();
    medium.crash();
    bury();
  }

  private void bury() {
    time.close();
    bindings.close();
    openDevices.processEnded();
  }

  /** Lets the process die at a moment of an operation. */
  void dieAt(CrashPoint point) {
    life.dieAt(point);
  }

  /** Waits until the process has died by itself, and clears up after it. */
  void awaitDeath() {
    eventually("the process died", life::isOver);
    bury();
  }

  /** Kills the process, and starts it again. */
  void restart() {
    crash();
    start();
  }

  /** Boots the host: mounts and processes go. */
  void reboot() {
    if (!life.isOver()) {
      crash();
    }
    bootHost();
    start();
  }

  /** Takes the power from the host, and with it all that was not synced; no process begins. */
  void cutPower() {
    life.end();
    medium.cutPower(0);
    bury();
    bootHost();
  }

  /** The disk of the state is lost, and what is on it. */
  void loseState() {
    medium.crash();
    medium = MemoryMedium.create();
  }

  /** The plugins end and begin again: other processes, which know what they knew. */
  void restartPlugins() {
    plugins.values().forEach(FakeCsiPlugin::stop);
    lookForPlugins();
    processes.incrementAndGet();
    plugins.values().forEach(FakeCsiPlugin::start);
  }

  /** The next start is in another mount namespace. */
  void changeNamespace() {
    mountNamespace++;
  }

  /** Boots the host, whose process has ended; no process begins. */
  void bootHost() {
    plugins.values().forEach(FakeCsiPlugin::stop);
    lookForPlugins();
    processes.incrementAndGet();
    kernel.reboot();
    plugins.values().forEach(FakeCsiPlugin::forget);
    plugins.values().forEach(FakeCsiPlugin::start);
  }

  Incarnation life() {
    return life;
  }

  /**
   * The engine, for the next thing that a host does. A proxy knows by then what the test has done
   * to the plugin behind it, as it does when a person starts or ends one.
   */
  VolumeEngine engine() {
    lookForPlugins();
    return engine;
  }

  private void lookForPlugins() {
    proxies.values().forEach(CsiProxy::lookForPlugin);
  }

  RecoveryReport report() {
    return engine.report();
  }

  StateStore state() {
    return state;
  }

  /**
   * Lets this time of the engine pass at once. What is being done a moment longer is done before:
   * an answer that is on its way would come too late otherwise.
   */
  void skip(Duration time) {
    long begun = System.nanoTime();
    while ((life.isAsking() || !this.time.isIdle())
        && System.nanoTime() - begun < Incarnation.MOMENT.toNanos()) {
      LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    }
    this.time.skip(time);
  }

  // ---- what a host does

  /** A volume that the first plugin has. */
  VolumeId volume(String name) {
    VolumeId volume = VolumeId.of(name);
    plugin().addVolume(volume, CapacityRange.exactly(1L << 30), context());
    return volume;
  }

  static VolumeContext context() {
    return VolumeContext.of(Map.of("note", "context-" + CANARY));
  }

  /** The use of the volume with this name by a workload. */
  static VolumeUse usage(String volume, String workload) {
    return VolumeUse.of(VolumeKey.of(volume), WorkloadId.of(workload));
  }

  /** A claim of a use, to write, that says nothing of how the volume is mounted. */
  static ClaimGrant grant(VolumeUse usage, long epoch) {
    return new ClaimGrant(usage, NodeName.of("n1"), epoch, ClaimMode.WRITE, PublishContext.empty());
  }

  /** A request for a filesystem on a volume that is known to the host as it is to the plugin. */
  static MountRequest.Builder request(String volume, String workload, AccessMode mode) {
    return request(PLUGIN, usage(volume, workload), VolumeId.of(volume), mode);
  }

  static MountRequest.Builder request(
      PluginId plugin, VolumeUse usage, VolumeId handle, AccessMode mode) {
    return MountRequest.builder(plugin, usage, handle, mode)
        .volumeContext(context())
        .secrets(secrets());
  }

  static SecretsProvider secrets() {
    return SecretsProvider.always(Secrets.of(Map.of("token", "secret-" + CANARY)));
  }

  /** One writer on one node. */
  static MountRequest single(String volume, String workload) {
    return request(volume, workload, AccessMode.SINGLE_NODE_WRITER).build();
  }

  /** Any number of writers. */
  static MountRequest shared(String volume, String workload) {
    return request(volume, workload, AccessMode.MULTI_NODE_MULTI_WRITER).build();
  }

  MountedVolume mount(MountRequest request) {
    return get(engine().mount(request));
  }

  UnmountOutcome unmount(VolumeUse usage) {
    return get(engine().unmount(usage));
  }

  /** Releases a use, and lets as much time pass as that needs. */
  UnmountOutcome unmountInTheEnd(VolumeUse usage) {
    CompletableFuture<UnmountOutcome> released = engine().unmount(usage);
    inTheEnd("the use is released", released::isDone);
    return get(released);
  }

  /** The failure of a mount. */
  VolumeException mountFails(MountRequest request) {
    return fails(engine().mount(request));
  }

  /** The failure of a release. */
  VolumeException unmountFails(VolumeUse usage) {
    return fails(engine().unmount(usage));
  }

  /** Tells the engine all that is wanted, and waits until it has tried all that follows. */
  Reconciliation.Summary reconcile(WantedUse... wanted) {
    Reconciliation work = engine().reconcile(List.of(wanted));
    shown.add(work.plan().toString());
    return get(work.done().toCompletableFuture());
  }

  /** Tells the engine what is still wanted of what it found, and waits as well. */
  Reconciliation.Summary settleFound(WantedUse... wanted) {
    Reconciliation work = engine().settleFound(List.of(wanted));
    shown.add(work.plan().toString());
    return get(work.done().toCompletableFuture());
  }

  /** Tells the engine that nothing is wanted; its process may die of it. */
  void reconcileUnlessKilled() {
    try {
      shown.add(engine().reconcile(List.of()).plan().toString());
    } catch (Incarnation.Killed e) {
      assertThat(life.isOver()).isTrue();
    }
  }

  /** What the future ends with. */
  <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      failures.add(e.getCause());
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError("An operation ended with what is no failure of it.", e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("An operation does not end. " + story(), e);
    } catch (InterruptedException e) {
      throw new AssertionError("The test was interrupted.", e);
    }
  }

  /** The failure that the future ends with. */
  VolumeException fails(CompletableFuture<?> future) {
    try {
      Object result = get(future);
      return fail("It was to fail, and gave " + result + ". " + story());
    } catch (VolumeException e) {
      return e;
    }
  }

  /** Waits for what another thread does. */
  static void eventually(String what, BooleanSupplier condition) {
    Eventually.isTrue(what, condition);
  }

  /** Lets time pass, as much as is needed, until it is so. */
  void inTheEnd(String what, BooleanSupplier condition) {
    inTheEnd(what, Duration.ofSeconds(20), condition);
  }

  /** The same, with this much time at once. */
  void inTheEnd(String what, Duration step, BooleanSupplier condition) {
    eventually(
        what,
        () -> {
          if (condition.getAsBoolean()) {
            return true;
          }
          skip(step);
          return false;
        });
  }

  // ---- what can be seen

  /** The calls that volumes are about, in order, each with how it ended: {@code Stage:OK}. */
  List<String> calls() {
    return calls(plugin());
  }

  static List<String> calls(FakeCsiPlugin plugin) {
    return plugin.journal().calls().stream()
        .filter(call -> VERBS.containsKey(call.operation()))
        .map(Node::told)
        .toList();
  }

  /** The same about one volume. */
  List<String> calls(VolumeId volume) {
    return plugin().journal().calls(volume).stream()
        .filter(call -> VERBS.containsKey(call.operation()))
        .map(Node::told)
        .toList();
  }

  /** The verbs of the calls about a volume, in order. */
  List<String> verbs(VolumeId volume) {
    return calls(volume).stream().map(call -> call.substring(0, call.indexOf(':'))).toList();
  }

  private static String told(RecordedCall call) {
    return VERBS.get(call.operation()) + ":" + call.end().map(Node::ending).orElse("open");
  }

  private static String ending(CallEnd end) {
    if (end instanceof CallEnd.Failed failed) {
      return failed.code() >= 0 && failed.code() <= 16
          ? StatusCode.ofValue(failed.code()).name()
          : Integer.toString(failed.code());
    }
    return end.ok() ? "OK" : end instanceof CallEnd.Broken ? "broken" : "abandoned";
  }

  /** Waits for a call with this verb about a volume that was made but has not ended. */
  RecordedCall awaitOpen(CsiOperation operation) {
    return plugin()
        .journal()
        .await(
            call -> call.operation() == operation && call.end().isEmpty(), Duration.ofSeconds(20));
  }

  Optional<VolumeStatus> status(VolumeId volume) {
    return engine.volumes().stream().filter(each -> each.handle().equals(volume)).findFirst();
  }

  PathStatus staging(VolumeId volume) {
    return status(volume).map(VolumeStatus::staging).orElse(PathStatus.NONE);
  }

  /** How far a use is; NONE when there is none. */
  PathStatus target(VolumeId volume, String workload) {
    return status(volume).stream()
        .flatMap(each -> each.uses().stream())
        .filter(use -> use.key().workload().equals(WorkloadId.of(workload)))
        .map(VolumeStatus.Use::status)
        .findFirst()
        .orElse(PathStatus.NONE);
  }

  static VolumeIdentity identity(VolumeId volume) {
    return new VolumeIdentity(PLUGIN, volume);
  }

  MountPath stagingPath(VolumeId volume) {
    return layout.staging(identity(volume));
  }

  MountPath targetPath(String volume, String workload) {
    return layout.target(identity(VolumeId.of(volume)), usage(volume, workload));
  }

  VolumeLayout layout() {
    return layout;
  }

  /** What the engine sees at a path, the one on top last. */
  List<Sighting> sightings(MountPath path) {
    return new SystemKernelMounts(kernel.table(), kernel.mounts(), devices(), this::place).at(path);
  }

  /** How many mounts are at a path. */
  int mountsAt(MountPath path) {
    return (int)
        kernel.table().list().records().stream().filter(mount -> mount.path().equals(path)).count();
  }

  boolean mounted(MountPath path) {
    return mountsAt(path) > 0;
  }

  /** Every mount below the manager's directory. */
  List<MountPath> mounts() {
    return kernel.table().list().records().stream()
        .map(MountRecord::path)
        .filter(path -> path.isWithin(ROOT))
        .toList();
  }

  /** The directories of volumes that there are. */
  List<String> directories() {
    MountPath volumes = layout.volumes();
    return kernel.host().exists(volumes) ? kernel.host().names(volumes) : List.of();
  }

  /** Does something with each event where it is told. */
  void whenTold(Consumer<VolumeEvent> action) {
    whenTold = action;
  }

  List<VolumeEvent> events() {
    return List.copyOf(events);
  }

  /** The operations that have begun and not ended. */
  List<VolumeEvent.Started> openOperations() {
    List<VolumeEvent.Started> open = new ArrayList<>();
    for (VolumeEvent event : events.subList(firstEventOfThisLife, events.size())) {
      if (event instanceof VolumeEvent.Started started) {
        open.add(started);
      } else if (event instanceof VolumeEvent.Ended ended) {
        open.remove(ended.started());
      }
    }
    return open;
  }

  /** What operators were told, in order. */
  List<OperatorMessage> notices() {
    return events.stream()
        .filter(VolumeEvent.Noticed.class::isInstance)
        .map(event -> ((VolumeEvent.Noticed) event).message())
        .toList();
  }

  boolean noticed(OperatorCode code) {
    return notices().stream().anyMatch(message -> message.code() == code)
        || report().findings().stream().anyMatch(message -> message.code() == code);
  }

  /** Whether nothing is known of any volume, and nothing of one is anywhere. */
  boolean isClean() {
    return engine.volumes().isEmpty()
        && mounts().isEmpty()
        && directories().isEmpty()
        && plugins.values().stream().allMatch(plugin -> plugin.contents().idle());
  }

  /** Lets time pass until nothing is left of any volume. */
  void becomesClean() {
    try {
      inTheEnd("nothing is left", this::isClean);
    } catch (AssertionError e) {
      throw new AssertionError("Something is left. " + story(), e);
    }
  }

  /** The whole story for a person. */
  String story() {
    return "\nvolumes "
        + engine.volumes()
        + "\nmounts "
        + mounts()
        + "\ndirectories "
        + directories()
        + "\nplugin "
        + plugin().contents()
        + "\nevents "
        + events
        + "\n"
        + plugin().journal().describe();
  }

  /** Something stays on purpose: the aftermath does not ask for it. */
  void leavesSomething() {
    leftovers = true;
  }

  // ---- the aftermath

  @Override
  public void close() {
    try {
      if (!leftovers && !life.isOver()) {
        plugins.values().forEach(FakeCsiPlugin::clearFaults);
        plugins.values().forEach(FakeCsiPlugin::release);
        becomesClean();
      }
      plugins.values().forEach(this::assertLawful);
      assertThat(disk.trespasses()).as("touched what is mounted").isEmpty();
      everyStartHasOneEnd();
      secretsAreNowhere();
      assertThat(notices().stream().map(OperatorMessage::line))
          .as("what people are told")
          .noneMatch(line -> line.contains("Evidence[") || line.contains("Sighting["));
      ToldLines.areFitForPeople(
          Stream.of(
                  notices().stream(),
                  report().findings().stream(),
                  failures.stream()
                      .filter(VolumeException.class::isInstance)
                      .map(failure -> ((VolumeException) failure).operatorMessage()))
              .flatMap(messages -> messages));
    } finally {
      if (!life.isOver()) {
        crash();
      }
      proxies.values().forEach(CsiProxy::close);
      plugins.values().forEach(FakeCsiPlugin::close);
    }
  }

  private void assertLawful(FakeCsiPlugin plugin) {
    Verdict verdict = plugin.verdict();
    assertThat(HeldDuties.broken(verdict))
        .as(verdict.describe())
        .extracting(Breach::duty)
        .allMatch(excused::contains);
  }

  /** Lets these duties be broken, for a reason that the test gives. */
  void excuse(int... duties) {
    for (int duty : duties) {
      excused.add(DutyId.of(duty));
    }
  }

  private void everyStartHasOneEnd() {
    List<VolumeEvent.Ended> ends =
        events.stream()
            .skip(firstEventOfThisLife)
            .filter(VolumeEvent.Ended.class::isInstance)
            .map(VolumeEvent.Ended.class::cast)
            .toList();
    assertThat(ends.stream().map(VolumeEvent.Ended::started)).doesNotHaveDuplicates();
  }

  private void secretsAreNowhere() {
    assertThat(texts()).noneMatch(text -> text.contains(CANARY));
  }

  /** All texts that exist outside of calls: told, thrown, on record, in files. */
  List<String> texts() {
    List<String> texts = new ArrayList<>(shown);
    events.forEach(event -> texts.add(event.toString()));
    failures.forEach(failure -> texts.add(trace(failure)));
    if (!life.isOver()) {
      texts.add(engine.volumes().toString());
      state
          .load()
          .values()
          .forEach(
              (key, value) ->
                  texts.add(key + new String(value.bytes(), StandardCharsets.ISO_8859_1)));
    }
    texts.addAll(files(ROOT));
    return texts;
  }

  private List<String> files(MountPath directory) {
    List<String> texts = new ArrayList<>();
    for (String name : kernel.host().names(directory)) {
      MountPath at = directory.resolve(name);
      texts.add(name);
      if (mounted(at)) {
        continue;
      }
      Optional<String> content = kernel.host().content(at);
      content.ifPresentOrElse(texts::add, () -> texts.addAll(files(at)));
    }
    return texts;
  }

  private static String trace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }

  /** Who uses a volume, certain or not. */
  Set<WorkloadId> users(VolumeId volume) {
    return status(volume).stream()
        .flatMap(each -> each.uses().stream())
        .map(use -> use.key().workload())
        .collect(Collectors.toSet());
  }
}
