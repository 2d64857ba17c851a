package stranger;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.cluster.grpc.ControlPlaneServer;
import io.csi4j.volume.cluster.grpc.RemoteControlPlane;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A control plane and two nodes, which reach the control plane at a UNIX socket. A job uses its
 * volume on one node. Then the node is drained, and the volume moves to the other node.
 */
public final class Main {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeKey VOLUME = VolumeKey.of("db");
  private static final NodeName N1 = NodeName.of("n1");
  private static final NodeName N2 = NodeName.of("n2");

  private Main() {}

  public static void main(String[] args) throws IOException {
    Path directory = Files.createDirectory(Path.of(args[0]));
    ClusterEndpoint socket = ClusterEndpoint.unix(directory.resolve("cp.sock"));
    MemoryKernel kernel = new MemoryKernel();
    try (FakeCsiPlugin fake =
            FakeCsiPlugin.builder()
                .shape(PluginShape.attachRequired())
                .nodes(NodeId.of("n1"), NodeId.of("n2"))
                .effects(NodeEffects.filesMountedIn(kernel.host()))
                .open();
        RecordStore store = LocalStore.open(directory.resolve("store"))) {
      new ClusterSetup(store).create();
      try (Cluster cluster = Cluster.builder(store).plugin(PLUGIN, fake.endpoint()).open();
          ControlPlaneServer server = ControlPlaneServer.open(cluster, socket);
          RemoteControlPlane of1 = RemoteControlPlane.of(N1, List.of(server.endpoint()));
          RemoteControlPlane of2 = RemoteControlPlane.of(N2, List.of(server.endpoint()));
          NodeAgent n1 = agent(N1, directory, of1, fake, kernel);
          NodeAgent n2 = agent(N2, directory, of2, fake, kernel)) {
        n1.awaitPlugin(PLUGIN, Duration.ofSeconds(30));
        n2.awaitPlugin(PLUGIN, Duration.ofSeconds(30));
        jobs(cluster, Map.of(N1, n1, N2, n2));
        fake.assertLawful();
        System.out.println("in use after all: " + !fake.contents().idle());
      }
    }
  }

  private static NodeAgent agent(
      NodeName name,
      Path directory,
      RemoteControlPlane controlPlanes,
      FakeCsiPlugin fake,
      MemoryKernel kernel) {
    return NodeAgent.builder(name, directory.resolve(name.value()), controlPlanes)
        .plugin(PluginConfig.builder(PLUGIN.value(), fake.nodeEndpoint(NodeId.of(name.value()))))
        .manager(it -> it.mounts(kernel.table(), kernel.mounts()))
        .open();
  }

  private static void jobs(Cluster cluster, Map<NodeName, NodeAgent> agents) throws IOException {
    VolumeRequest request =
        VolumeRequest.csi(VOLUME.id())
            .accessMode(AccessMode.SINGLE_NODE_WRITER)
            .attachment(AttachmentMode.FILESYSTEM)
            .created(VolumeSpec.builder(PLUGIN).capacity(CapacityRange.atLeast(1 << 30)))
            .build();
    VolumeUse first = VolumeUse.of(VOLUME, WorkloadId.of("web-1"));
    NodeName node = run(cluster, agents, first, request);
    cluster.drain(node, new ReasonText("ada replaces its disks"));
    VolumeUse second = VolumeUse.of(VOLUME, WorkloadId.of("web-2"));
    try {
      cluster.acquire(node, second, request);
    } catch (OperatorException refused) {
      System.out.println("web-2 does not get it on " + node + ": " + refused.code());
    }
    run(cluster, agents, second, request);
    cluster.volumes().delete(VOLUME);
    System.out.println("volumes: " + cluster.volumes().volumes());
  }

  private static NodeName run(
      Cluster cluster, Map<NodeName, NodeAgent> agents, VolumeUse usage, VolumeRequest request)
      throws IOException {
    Placement.Report nodes = cluster.nodesFor(usage, request);
    System.out.println(usage.workload() + " can run on " + nodes.nodes());
    NodeName node = nodes.best().orElseThrow();
    NodeAgent agent = agents.get(node);
    cluster.acquire(node, usage, request);
    Path file = agent.mount(usage).path().resolve("hello.txt");
    Files.writeString(file, "hello from " + usage.workload() + " on " + node);
    System.out.println(Files.readString(file));
    Files.delete(file);
    agent.release(usage);
    cluster.release(usage).requireGone();
    return node;
  }
}
