package io.csi4j.examples;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.cluster.grpc.ControlPlaneServer;
import io.csi4j.volume.cluster.grpc.RemoteControlPlane;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The code blocks of docs/cluster.md, each between a mark with its name and one at its end. */
final class ClusterSnippets {

  private ClusterSnippets() {}

  static void controlPlane(
      PluginId plugin,
      CsiEndpoint controller,
      RecordStore store,
      ClusterEndpoint endpoint,
      TlsSettings tls,
      BiConsumer<Cluster, ClusterEndpoint> serve)
      throws IOException {
    // snippet: control-plane
    try (Cluster cluster = Cluster.builder(store).plugin(plugin, controller).open();
        ControlPlaneServer server = ControlPlaneServer.open(cluster, endpoint, tls)) {
      serve.accept(cluster, server.endpoint()); // until the process ends
    }
    // end
  }

  static void node(
      NodeName node,
      Path directory,
      PluginConfig.Builder config,
      List<ClusterEndpoint> endpoints,
      TlsSettings tls,
      Consumer<NodeAgent> work) {
    // snippet: node
    try (RemoteControlPlane controlPlanes = RemoteControlPlane.of(node, endpoints, tls);
        NodeAgent agent = NodeAgent.builder(node, directory, controlPlanes).plugin(config).open()) {
      work.accept(agent);
    }
    // end
  }

  static VolumeRequest request(PluginId plugin) {
    // snippet: request
    VolumeRequest request =
        VolumeRequest.csi("db")
            .accessMode(AccessMode.SINGLE_NODE_WRITER)
            .attachment(AttachmentMode.FILESYSTEM)
            .created(VolumeSpec.builder(plugin).capacity(CapacityRange.atLeast(1 << 30)))
            .build();
    // end
    return request;
  }

  static VolumeRequest brought(VolumeRequest request, VolumeUse usage, SelinuxLabel label) {
    // snippet: brought
    VolumeRequest brought =
        request.toBuilder()
            .workloadFacts(WorkloadFacts.of(usage).withServiceAccount("web"))
            .selinuxLabel(label)
            .ownership(FileOwnership.ofGroup(2000))
            .build();
    // end
    return brought;
  }

  static NodeName acquired(Cluster cluster, VolumeUse usage, VolumeRequest request) {
    // snippet: acquire
    NodeName node = cluster.nodesFor(usage, request).best().orElseThrow(); // in a control plane
    cluster.acquire(node, usage, request); // created, claimed, attached
    // end
    return node;
  }

  static MountedVolume mounted(NodeAgent agent, VolumeUse usage, Consumer<Path> run) {
    // snippet: mount
    MountedVolume mounted = agent.mount(usage); // on that node
    run.accept(mounted.path());
    agent.release(usage); // the workload has ended
    // end
    return mounted;
  }

  static void ended(Cluster cluster, NodeAgent agent, VolumeUse usage) {
    // snippet: ended
    agent.release(usage); // unmounted, and the control plane has the receipt
    cluster.release(usage).requireGone(); // and detached; otherwise repeat both
    // end
  }

  static List<JobVolumes.Released> off(Cluster cluster, NodeName node) {
    List<JobVolumes.Released> released =
        cluster.nodeIsOff(node, new ReasonText("ada has pulled its plug"));
    return released;
  }

  static void drained(Cluster cluster, NodeName node) {
    cluster.drain(node, new ReasonText("ada replaces its disks"));
    cluster.undrain(node);
  }

  static void inATest(
      PluginId plugin, NodeName node, Path directory, BiConsumer<Cluster, NodeAgent> test)
      throws IOException {
    // snippet: in a test
    MemoryKernel kernel = new MemoryKernel();
    try (FakeCsiPlugin fake =
            FakeCsiPlugin.builder()
                .shape(PluginShape.attachRequired())
                .nodes(NodeId.of("n1"), NodeId.of("n2"))
                .effects(NodeEffects.filesMountedIn(kernel.host()))
                .open();
        Cluster cluster =
            Cluster.builder(directory.resolve("store")).plugin(plugin, fake.endpoint()).open();
        ControlPlaneServer server =
            ControlPlaneServer.open(cluster, ClusterEndpoint.unix(directory.resolve("cp.sock")));
        RemoteControlPlane controlPlanes = RemoteControlPlane.of(node, List.of(server.endpoint()));
        NodeAgent agent =
            NodeAgent.builder(node, directory.resolve(node.value()), controlPlanes)
                .plugin(
                    PluginConfig.builder(
                        plugin.value(), fake.nodeEndpoint(NodeId.of(node.value()))))
                .manager(it -> it.mounts(kernel.table(), kernel.mounts())) // where the fake mounts
                .open()) {
      agent.awaitPlugin(plugin, Duration.ofSeconds(10));
      test.accept(cluster, agent);
      fake.assertLawful();
    }
    // end
  }

  static void forgotten(Cluster cluster, NodeName node) {
    cluster.forgetNode(node); // refused with NODE_CLAIMED while a claim is left, or cannot be read
  }
}
