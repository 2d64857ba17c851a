package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.contend.SilentLine;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.store.RecordStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The processes of a rig: control planes, nodes, their storage system and their store, and the
 * lines between them. Calls to the storage system go through proxies in this process, which have
 * seen each of them, whoever was killed.
 */
final class RigCluster implements AutoCloseable {

  /** Of umount2(2). */
  private static final int MNT_DETACH = 2;

  private static final String OK = "ok ";

  /** How long the rig waits for the answer to an order; the order goes on. */
  private static final Duration ANSWER = Duration.ofSeconds(20);

  private final Scratch scratch;
  private final Path logs;
  private final ContendedStore kind;
  private final RigDefect defect;
  private final Patience patience;
  private final ContendedStore.Server store;
  private final MortalPlugin storage;
  private final Map<String, SilentLine> toStore = new HashMap<>();
  private final Map<String, NodeLine> toPlanes = new HashMap<>();
  private final Map<String, CsiProxy> proxies = new TreeMap<>();
  private final ConcurrentMap<String, HostProcess> hosts = new ConcurrentHashMap<>();
  private volatile long storageProcess;

  /**
   * Starts all of it.
   *
   * @param scratch where volumes are mounted
   * @param logs a directory that stays when the rig has found something
   */
  RigCluster(Scratch scratch, Path logs, ContendedStore kind, RigDefect defect, Patience patience)
      throws IOException {
    this.scratch = scratch;
    this.logs = logs;
    this.kind = kind;
    this.defect = defect;
    this.patience = patience;
    Files.createDirectories(at("line"));
    store = kind.start(Files.createDirectory(logs.resolve("store")));
    try (RecordStore opened = kind.open(store.address(), ANSWER)) {
      var unused = new ClusterSetup(opened).create();
    }
    List<Object> arguments = new ArrayList<>(List.of(at("storage")));
    arguments.addAll(RigSettings.NODES);
    storage =
        MortalPlugin.launch(
            PluginConfig.builder(LocalCluster.PLUGIN.value(), at("csi"))
                .volumeRoot(at("nodes"))
                .build(),
            MortalPlugin.command(ClusterStorage.class, arguments.toArray()),
            patience);
    storageProcess = storage.started();
    for (String node : RigSettings.NODES) {
      proxies.put(
          node,
          CsiProxy.builder(CsiEndpoint.of(plugin(node)))
              .socket(at("px").resolve(node + ".sock"))
              .node(NodeId.of(node))
              .open());
      toPlanes.put(
          node,
          new NodeLine(
              at("line").resolve(node), RigSettings.PLANES.stream().map(this::socket).toList()));
    }
    if (defect == RigDefect.ATTACH_FORGOTTEN) {
      var unused =
          controller()
              .inject(
                  Fault.answer(request -> Map.of()),
                  When.calling(CsiOperation.CONTROLLER_PUBLISH_VOLUME)
                      .where(call -> call.number() % 2 == 0));
    }
    RigSettings.PLANES.forEach(plane -> toStore.put(plane, new SilentLine(store.address())));
    RigSettings.PLANES.forEach(this::start);
    RigSettings.NODES.forEach(this::start);
    awaitReady();
  }

  private Path at(String name) {
    return scratch.file(name);
  }

  private Path socket(String plane) {
    return at(plane + ".sock");
  }

  /** The first node is served at the main socket of the plugin, which has the controller, too. */
  private Path plugin(String node) {
    return at("csi").resolve(isFirst(node) ? "csi.sock" : node + ".sock");
  }

  private static boolean isFirst(String node) {
    return node.equals(RigSettings.NODES.get(0));
  }

  private static <T> T part(Map<String, T> of, String name) {
    return Objects.requireNonNull(of.get(name), name);
  }

  // ---- hosts

  /** Starts a control plane or the agent of a node, which may not take orders yet. */
  void start(String name) {
    List<String> arguments = new ArrayList<>();
    if (RigSettings.NODES.contains(name)) {
      Collections.addAll(
          arguments,
          "node",
          defect.name(),
          part(proxies, name).endpoint().path().toString(),
          name,
          volumes(name).toString());
      part(toPlanes, name).sockets().forEach(each -> arguments.add(each.toString()));
    } else {
      Collections.addAll(
          arguments,
          "plane",
          defect.name(),
          controller().endpoint().path().toString(),
          kind.getClass().getName(),
          part(toStore, name).address(),
          socket(name).toString(),
          name);
    }
    Path log = logs.resolve(name + ".log");
    hosts.put(name, HostProcess.start(RigHost.class, name, log, patience, Map.of(), arguments));
  }

  HostProcess host(String name) {
    return part(hosts, name);
  }

  /** Waits until all hosts take orders; one that has ended is started again. */
  void awaitReady() {
    for (String name : hosts.keySet()) {
      patience.until(
          () -> {
            if (!host(name).isAlive()) {
              start(name);
            }
            return host(name).isReady();
          },
          name + " takes orders");
    }
  }

  /**
   * The answer of a host.
   *
   * @param text the result, or why there is none: the order may have been done then
   */
  record Answer(boolean isDone, String text) {}

  /** Gives a host an order, and waits some time for its answer. */
  Answer ask(String name, String order) {
    CompletableFuture<String> asked = host(name).order(order);
    try {
      String answer = asked.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
      return answer.startsWith(OK)
          ? new Answer(true, answer.substring(OK.length()))
          : new Answer(false, answer);
    } catch (TimeoutException silent) {
      return new Answer(false, "no answer for " + ANSWER.toSeconds() + " s");
    } catch (ExecutionException ended) {
      return new Answer(false, String.valueOf(ended.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer(false, "interrupted");
    }
  }

  // ---- what can go wrong

  NodeLine line(String node) {
    return part(toPlanes, node);
  }

  SilentLine storeLine(String plane) {
    return part(toStore, plane);
  }

  ContendedStore.Server store() {
    return store;
  }

  String product() {
    return kind.product();
  }

  /** Where all calls of controllers go, and those of the first node. */
  CsiProxy controller() {
    return part(proxies, RigSettings.NODES.get(0));
  }

  Map<String, CsiProxy> proxies() {
    return proxies;
  }

  long storageProcess() {
    return storageProcess;
  }

  /** Kills the plugin of all nodes, and waits until it was started again. */
  void killStorage() {
    var unused = storage.kill();
    storageProcess = storage.started();
  }

  /**
   * Takes from a node all that it has mounted; repeats that until a call that was under way when
   * its caller was killed can have made no more.
   */
  void unmountAll(String node) {
    long quiet = System.nanoTime();
    while (System.nanoTime() - quiet < TimeUnit.MILLISECONDS.toNanos(400)) {
      List<MountRecord> left = new ArrayList<>(mounts(node));
      Collections.reverse(left);
      for (MountRecord each : left) {
        int unused = scratch.rawUnmount(each.path(), MNT_DETACH);
        quiet = System.nanoTime();
      }
    }
  }

  // ---- what is there

  /** The directory of a node, where its volumes are mounted. */
  Path volumes(String node) {
    return at("nodes").resolve(node);
  }

  List<MountRecord> mounts(String node) {
    MountPath top = MountPath.of(volumes(node));
    return MountTable.system().list(mount -> mount.path().isWithin(top)).records();
  }

  /** What the storage system has, asked past the proxies; fails if it does not answer. */
  List<VolumeEntry> stored() {
    try (CsiPlugin plugin =
        Quickstart.connect(CsiEndpoint.of(plugin(RigSettings.NODES.get(0))), patience)) {
      return plugin.controller().listVolumes(ListVolumesRequest.builder().build()).entries();
    }
  }

  /** Where the logs are. */
  Path logs() {
    return logs;
  }

  @Override
  public void close() {
    List<Runnable> ends = new ArrayList<>();
    hosts.values().forEach(each -> ends.add(each::close));
    toPlanes.values().forEach(each -> ends.add(each::close));
    toStore.values().forEach(each -> ends.add(each::close));
    proxies.values().forEach(each -> ends.add(each::close));
    ends.add(storage::close);
    ends.add(store::close);
    Optional<RuntimeException> first = Optional.empty();
    for (Runnable each : ends) {
      try {
        each.run();
      } catch (RuntimeException failed) {
        first = first.or(() -> Optional.of(failed));
      }
    }
    if (first.isPresent()) {
      throw first.get();
    }
  }
}
