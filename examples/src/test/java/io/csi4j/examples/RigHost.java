package io.csi4j.examples;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.cluster.grpc.ControlPlaneServer;
import io.csi4j.volume.cluster.grpc.RemoteControlPlane;
import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.ShortSessions;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A control plane or the agent of a node, as the host of the page is, with more orders, any store,
 * and the defect that its seams are given. Ends when its input ends, at once.
 */
final class RigHost {

  /**
   * Of the sessions of control planes; a call has ended by then, unless its process stood still.
   */
  static final Duration EXPIRY = Duration.ofSeconds(6);

  private static final Duration STORE_DEADLINE = Duration.ofSeconds(2);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** No call goes on for longer than the plugin stands still. */
  private static final MountPolicy POLICY =
      MountPolicy.builder()
          .attemptDeadline(Duration.ofSeconds(5))
          .quarantine(Duration.ofSeconds(10))
          .build();

  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
  private static final ExecutorService THREADS = Executors.newCachedThreadPool();

  private RigHost() {}

  /**
   * With {@code plane DEFECT PLUGIN KIND STORE SOCKET NAME}, or {@code node DEFECT PLUGIN NAME DIR
   * SOCKET...}.
   */
  public static void main(String[] args) throws IOException, ReflectiveOperationException {
    RigDefect defect = RigDefect.valueOf(args[1]);
    CsiEndpoint plugin = CsiEndpoint.of(Path.of(args[2]));
    if (args[0].equals("node")) {
      node(defect, plugin, NodeName.of(args[3]), Path.of(args[4]), Stream.of(args).skip(5));
    } else {
      ContendedStore kind =
          Class.forName(args[3])
              .asSubclass(ContendedStore.class)
              .getDeclaredConstructor()
              .newInstance();
      plane(defect, plugin, kind, args[4], Path.of(args[5]), args[6]);
    }
    Runtime.getRuntime().halt(0);
  }

  @SuppressWarnings("try") // The server is open for its time.
  private static void plane(
      RigDefect defect,
      CsiEndpoint plugin,
      ContendedStore kind,
      String address,
      Path at,
      String name)
      throws IOException {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(PluginRegistration.controller(PluginBinding.of(LocalCluster.PLUGIN, plugin)));
    try (RecordStore store = defect.store(open(kind, address));
        Cluster cluster = open(plugins, store, name);
        ControlPlaneServer server =
            ControlPlaneServer.open(defect.plane(cluster), ClusterEndpoint.unix(at))) {
      serve((order, use) -> did(cluster, order, use));
    }
  }

  private static RecordStore open(ContendedStore kind, String address) {
    return retried(() -> kind.open(address, STORE_DEADLINE));
  }

  private static Cluster open(PluginRegistry plugins, RecordStore store, String name) {
    ControllerSettings settings =
        ControllerSettings.builder()
            .longestWait(Duration.ofSeconds(10))
            .policy(policy -> policy.attempts(1).attemptDeadline(Duration.ofMillis(1_500)))
            .build();
    return retried(
        () ->
            Cluster.builder(plugins, store)
                .controller(
                    each -> ShortSessions.with(each.controlPlane(name).settings(settings), EXPIRY))
                .keeper(each -> each.every("resume", RigSettings.RESUME))
                .open());
  }

  /** Repeats what a store cannot answer yet, as an init system does. */
  private static <T> T retried(Supplier<T> work) {
    while (true) {
      try {
        return work.get();
      } catch (OperatorException notYet) {
        LockSupport.parkNanos(PAUSE);
      }
    }
  }

  private static Object did(Cluster cluster, String[] order, VolumeUse use) {
    VolumeKey volume = use.volume();
    return switch (order[1]) {
      case "nodes" -> cluster.nodesFor(use, request(volume)).nodes();
      case "run" -> cluster.acquire(NodeName.of(order[4]), use, request(volume)).epoch();
      case "stop" -> cluster.release(use).claim();
      case "fence" ->
          cluster.nodeIsFenced(NodeName.of(order[4]), new ReasonText("it was unmounted"));
      case "off" -> cluster.nodeIsOff(NodeName.of(order[4]), new ReasonText("it was killed"));
      case "drain" -> cluster.drain(NodeName.of(order[4]), new ReasonText("ada drains it"));
      case "undrain" -> cluster.undrain(NodeName.of(order[4]));
      case "grow" -> cluster.volumes().expand(volume, CapacityRange.atLeast(Long.decode(order[4])));
      case "pending" ->
          cluster.volumes().changes(volume)
              + " "
              + cluster.volumes().find(volume).flatMap(CatalogVolume::pendingOnNode);
      case "capacity" -> cluster.volumes().find(volume).orElseThrow().capacityBytes().orElse(0);
      case "claims" -> claims(cluster);
      case "volumes" ->
          cluster.volumes().volumes().stream()
              .map(each -> each.key().id() + "=" + each.id().value())
              .toList();
      case "delete" -> {
        cluster.volumes().delete(volume);
        yield "deleted";
      }
      default -> throw new IllegalArgumentException("A control plane cannot " + order[1]);
    };
  }

  private static List<String> claims(Cluster cluster) {
    return cluster.nodes().all().nodes().stream()
        .map(each -> cluster.claims().ofNode(each.name()))
        .map(ClaimsOfNode::all)
        .flatMap(List::stream)
        .map(each -> each.usage() + " on " + each.node())
        .toList();
  }

  private static void node(
      RigDefect defect, CsiEndpoint plugin, NodeName name, Path directory, Stream<String> all) {
    try (RemoteControlPlane planes =
            RemoteControlPlane.of(name, all.map(Path::of).map(ClusterEndpoint::unix).toList());
        NodeAgent agent =
            NodeAgent.builder(name, directory, defect.node(planes))
                .plugin(PluginConfig.builder(LocalCluster.PLUGIN.value(), plugin).policy(POLICY))
                .interval(INTERVAL)
                .claims(terms -> terms.interval(INTERVAL))
                .listener(RigHost::log)
                .open()) {
      serve((order, use) -> did(agent, order, use));
    }
  }

  private static void log(Object message) {
    System.err.println(Instant.now() + " " + message);
  }

  private static Object did(NodeAgent agent, String[] order, VolumeUse use) {
    return switch (order[1]) {
      case "start" -> agent.mount(use).path();
      case "refresh" -> agent.refresh(use).path();
      case "known" ->
          agent.manager().volumes().stream()
              .map(each -> each.handle().value() + " for " + each.uses().size() + " uses")
              .toList();
      case "end" -> {
        agent.release(use);
        yield "given back";
      }
      default -> throw new IllegalArgumentException("A node cannot " + order[1]);
    };
  }

  private static VolumeRequest request(VolumeKey volume) {
    return VolumeRequest.builder("data", VolumeRequest.Type.CSI, volume.id())
        .accessMode("single-node-writer")
        .attachment("filesystem")
        .created(
            VolumeSpec.builder(LocalCluster.PLUGIN)
                .capacity(CapacityRange.atLeast(RigSettings.SMALLEST))
                .parameters(Map.of("medium", "memory")))
        .build();
  }

  /** An order begins with a number, which its answer has too. */
  private static void serve(BiFunction<String[], VolumeUse, Object> work) {
    Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
    System.out.println("ready");
    while (input.hasNextLine()) {
      String[] order = input.nextLine().split(" ", -1);
      THREADS.execute(() -> answer(work, order));
    }
    // The rig has ended, or was killed: nothing may outlive it.
    Runtime.getRuntime().halt(0);
  }

  private static void answer(BiFunction<String[], VolumeUse, Object> work, String[] order) {
    String answer;
    try {
      VolumeUse use = VolumeUse.of(VolumeKey.of(order[2]), WorkloadId.of(order[3]));
      answer = "ok " + work.apply(order, use);
    } catch (RuntimeException refused) {
      answer = String.valueOf(refused.getMessage());
    }
    System.out.println(order[0] + " " + answer.replace('\n', ' '));
  }
}
