package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.NodeId;
import io.csi4j.examples.cluster.Host;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A cluster on this machine: control planes, nodes, a store and a storage system. Each control
 * plane and each node is a separate process. All processes end with this process.
 */
final class LocalCluster implements AutoCloseable {

  static final PluginId PLUGIN = PluginId.of("hostpath.csi4j.example");

  private final Path directory;
  private final List<String> nodes;
  private final Patience patience;
  private final QuickstartStore store;
  private final MortalPlugin storage;
  private final Map<String, HostProcess> running = new LinkedHashMap<>();
  private final Map<String, Runnable> restart = new HashMap<>();
  private final Map<String, NodeLine> lines = new TreeMap<>();

  private LocalCluster(
      Path directory,
      QuickstartStore store,
      List<String> planes,
      List<String> nodes,
      Patience patience) {
    this.store = store;
    this.directory = directory;
    this.nodes = nodes;
    this.patience = patience;
    List<Object> arguments = new ArrayList<>(List.of(directory.resolve("storage")));
    arguments.addAll(nodes);
    storage =
        MortalPlugin.launch(
            PluginConfig.builder(PLUGIN.value(), directory.resolve("csi"))
                .volumeRoot(directory.resolve("nodes"))
                .build(),
            MortalPlugin.command(ClusterStorage.class, arguments.toArray()),
            patience);
    List<Path> sockets = planes.stream().map(this::socket).toList();
    for (String node : nodes) {
      lines.put(node, new NodeLine(directory.resolve("line").resolve(node), sockets));
    }
  }

  /**
   * Starts the store and the storage system, but no host.
   *
   * @param kind the kind of the store, as for {@link QuickstartStore#start}
   */
  static LocalCluster start(
      Path directory, String kind, List<String> planes, List<String> nodes, Patience patience)
      throws IOException {
    Files.createDirectories(directory.resolve("line"));
    QuickstartStore store = QuickstartStore.start(kind, directory);
    try {
      store.awaitAnswer(patience);
      return new LocalCluster(directory, store, planes, nodes, patience);
    } catch (RuntimeException failed) {
      store.close();
      throw failed;
    }
  }

  QuickstartStore store() {
    return store;
  }

  MortalPlugin storage() {
    return storage;
  }

  /** Starts a control plane. */
  void startPlane(String name) {
    start(
        name,
        store.environment(),
        List.of(
            "control-plane",
            store.address(),
            socket(name).toString(),
            plugin(nodes.get(0)).toString()));
  }

  /** Starts the agent of a node. */
  void startNode(String name) {
    List<String> arguments =
        new ArrayList<>(List.of("node", name, volumes(name).toString(), plugin(name).toString()));
    line(name).sockets().forEach(each -> arguments.add(each.toString()));
    start(name, Map.of(), arguments);
  }

  private void start(String name, Map<String, String> environment, List<String> arguments) {
    Path log = directory.resolve(name + ".log");
    Runnable starting =
        () ->
            running.put(
                name, HostProcess.start(Host.class, name, log, patience, environment, arguments));
    restart.put(name, starting);
    starting.run();
  }

  /**
   * Waits until a host takes orders. If the host ends before, for example because the store does
   * not answer in time on a busy machine, this method starts the host again, like an init system.
   */
  HostProcess awaitReady(String name) {
    patience.until(
        () -> {
          HostProcess host = host(name);
          if (host.isReady()) {
            return true;
          }
          if (!host.isAlive()) {
            restart.getOrDefault(name, () -> {}).run();
          }
          return false;
        },
        name + " takes orders");
    return host(name);
  }

  boolean isRunning(String name) {
    return running.containsKey(name);
  }

  /** Returns a host by its name. */
  HostProcess host(String name) {
    HostProcess host = running.get(name);
    if (host == null) {
      throw new IllegalStateException("There is no process of " + name + " now.");
    }
    return host;
  }

  /** Kills a host, like {@code kill -9}. */
  void kill(String name) {
    host(name).kill();
    running.remove(name);
  }

  NodeLine line(String node) {
    return Objects.requireNonNull(lines.get(node), node);
  }

  /** The directory of a node, where its volumes are mounted. */
  Path volumes(String node) {
    return directory.resolve("nodes").resolve(node);
  }

  private Path socket(String plane) {
    return directory.resolve(plane + ".sock");
  }

  /**
   * Returns the plugin's socket for a node. The first node uses the main socket, which also serves
   * the controller.
   */
  private Path plugin(String node) {
    return directory
        .resolve("csi")
        .resolve(node.equals(nodes.get(0)) ? "csi.sock" : node + ".sock");
  }

  /**
   * The state of the storage system and of the mounts.
   *
   * @param volumes the size of each volume of the storage system, and where it is attached
   * @param mounts the number of mounts of each node
   */
  record Seen(List<String> volumes, Map<String, Integer> mounts) {

    String volume() {
      return volumes.isEmpty() ? "no volume" : String.join("; ", volumes);
    }

    String text() {
      return "storage: "
          + volume()
          + "; mounts: "
          + mounts.entrySet().stream()
              .map(each -> each.getKey() + " " + each.getValue())
              .collect(Collectors.joining(", "));
    }
  }

  /**
   * Whether the storage system has exactly this volume, or no volume for {@code no volume}, and
   * each node has this number of mounts.
   */
  boolean isSeen(String volume, Integer... mounts) {
    Seen seen = look();
    return seen.volume().equals(volume)
        && List.copyOf(seen.mounts().values()).equals(List.of(mounts));
  }

  /** Returns the current state of the storage system and of the mounts. */
  Seen look() {
    try (CsiPlugin plugin = Quickstart.connect(CsiEndpoint.of(plugin(nodes.get(0))), patience)) {
      List<String> volumes =
          plugin.controller().listVolumes(ListVolumesRequest.builder().build()).entries().stream()
              .map(LocalCluster::text)
              .toList();
      Map<String, Integer> mounts = new TreeMap<>();
      nodes.forEach(node -> mounts.put(node, mounts(node).size()));
      return new Seen(volumes, mounts);
    }
  }

  /** Whether the storage system answers now. */
  boolean isStorageUp() {
    try {
      var unused = look();
      return true;
    } catch (CsiException notYet) {
      return false;
    }
  }

  private static String text(VolumeEntry entry) {
    return (entry.volume().capacityBytes().orElse(0) >> 20)
        + " MiB, attached to "
        + entry.publishedNodes().stream().map(NodeId::value).toList();
  }

  /** The mounts of a node. */
  List<MountRecord> mounts(String node) {
    MountPath top = MountPath.of(volumes(node));
    return MountTable.system().list(mount -> mount.path().isWithin(top)).records();
  }

  /** Ends the hosts in order, by closing their input. */
  Map<String, Integer> end() {
    Map<String, Integer> statuses = new TreeMap<>();
    running.forEach((name, host) -> statuses.put(name, host.end()));
    running.clear();
    return statuses;
  }

  @Override
  public void close() {
    Collection<HostProcess> left = running.values();
    left.forEach(HostProcess::close);
    lines.values().forEach(NodeLine::close);
    storage.close();
    store.close();
  }
}
