package io.csi4j.examples.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.jdbc.JdbcSettings;
import io.csi4j.volume.claim.jdbc.PostgresStore;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.cluster.grpc.ControlPlaneServer;
import io.csi4j.volume.cluster.grpc.RemoteControlPlane;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * A control plane, or the agent of a node. The host executes the orders in its input, line by line:
 * it answers {@code 7 start notes web-1} with {@code 7 ok} and the path, or with 7 and a reason.
 */
public final class Host {

  private static final PluginId PLUGIN = PluginId.of("hostpath.csi4j.example");
  private static final ExecutorService THREADS = Executors.newCachedThreadPool();

  /** Takes {@code control-plane STORE SOCKET PLUGIN}, or {@code node NAME DIR PLUGIN SOCKET...}. */
  public static void main(String[] args) throws IOException {
    CsiEndpoint plugin = CsiEndpoint.of(Path.of(args[3]));
    if (args[0].equals("node")) {
      node(NodeName.of(args[1]), Path.of(args[2]), plugin, Stream.of(args).skip(4));
    } else {
      controlPlane(args[1], Path.of(args[2]), plugin);
    }
  }

  @SuppressWarnings("try") // The server is open for its time.
  private static void controlPlane(String store, Path at, CsiEndpoint plugin) throws IOException {
    try (RecordStore records = open(store);
        Cluster cluster = Cluster.builder(records).plugin(PLUGIN, plugin).open();
        ControlPlaneServer server = ControlPlaneServer.open(cluster, ClusterEndpoint.unix(at))) {
      serve((order, use) -> did(cluster, order, use));
    }
  }

  private static RecordStore open(String store) throws IOException {
    if (store.startsWith("http:")) {
      return EtcdStore.open(EtcdSettings.builder(URI.create(store)).build());
    }
    if (store.startsWith("jdbc:")) {
      HikariConfig pool = new HikariConfig();
      pool.setJdbcUrl(store);
      return PostgresStore.open(new HikariDataSource(pool), JdbcSettings.defaults());
    }
    return LocalStore.open(Path.of(store));
  }

  private static Object did(Cluster cluster, String[] order, VolumeUse use) {
    VolumeKey volume = use.volume();
    return switch (order[1]) {
      case "nodes" -> cluster.nodesFor(use, request(volume)).nodes();
      case "run" -> cluster.acquire(NodeName.of(order[4]), use, request(volume)).epoch();
      case "stop" -> cluster.release(use).claim();
      case "fence" -> cluster.nodeIsFenced(NodeName.of(order[4]), new ReasonText("ada did it"));
      case "grow" -> cluster.volumes().expand(volume, CapacityRange.atLeast(Long.decode(order[4])));
      case "pending" -> cluster.volumes().find(volume).flatMap(it -> it.pendingOnNode());
      case "delete" -> {
        cluster.volumes().delete(volume);
        yield cluster.volumes().volumes();
      }
      default -> throw new IllegalArgumentException("A control plane cannot " + order[1]);
    };
  }

  private static void node(NodeName name, Path directory, CsiEndpoint plugin, Stream<String> all) {
    try (RemoteControlPlane controlPlanes =
            RemoteControlPlane.of(name, all.map(Path::of).map(ClusterEndpoint::unix).toList());
        NodeAgent agent =
            NodeAgent.builder(name, directory, controlPlanes)
                .plugin(PluginConfig.builder(PLUGIN.value(), plugin))
                .interval(Duration.ofSeconds(1))
                .claims(terms -> terms.interval(Duration.ofSeconds(1)))
                .open()) {
      serve((order, use) -> did(agent, order, use));
    }
  }

  private static Object did(NodeAgent agent, String[] order, VolumeUse use) {
    if (order[1].equals("start")) {
      return agent.mount(use).path();
    }
    agent.release(use);
    return "given back";
  }

  private static VolumeRequest request(VolumeKey volume) {
    return VolumeRequest.csi(volume.id())
        .accessMode("single-node-writer")
        .attachment("filesystem")
        .created(
            VolumeSpec.builder(PLUGIN)
                .capacity(CapacityRange.atLeast(16 << 20))
                .parameters(Map.of("medium", "memory")))
        .build();
  }

  private static void serve(BiFunction<String[], VolumeUse, Object> work) {
    Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
    System.out.println("ready");
    while (input.hasNextLine()) {
      String[] order = input.nextLine().split(" ", -1);
      THREADS.execute(() -> System.out.println(order[0] + " " + answer(work, order)));
    }
    THREADS.shutdownNow();
  }

  private static String answer(BiFunction<String[], VolumeUse, Object> work, String[] order) {
    try {
      VolumeUse use = VolumeUse.of(VolumeKey.of(order[2]), WorkloadId.of(order[3]));
      return "ok " + work.apply(order, use);
    } catch (RuntimeException refused) {
      return String.valueOf(refused.getMessage());
    }
  }
}
