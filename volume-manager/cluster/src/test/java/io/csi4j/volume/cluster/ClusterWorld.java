package io.csi4j.volume.cluster;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A storage system, two nodes with mounts in memory, and what a job asks for. */
final class ClusterWorld implements AutoCloseable {

  static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  static final NodeName A = NodeName.of("a");
  static final NodeName B = NodeName.of("b");
  static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
  static final VolumeUse JOB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("job"));
  static final Duration LIMIT = Duration.ofSeconds(30);

  /** The volume of a job, which outlives it. */
  static final VolumeRequest REQUEST =
      VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
          .accessMode(AccessMode.SINGLE_NODE_SINGLE_WRITER)
          .attachment(AttachmentMode.FILESYSTEM)
          .created(VolumeSpec.builder(PLUGIN).capacity(CapacityRange.atLeast(16 << 20)))
          .build();

  private final Path directory;
  final MemoryKernel kernel = new MemoryKernel();
  final PluginRegistry plugins = InMemoryPluginRegistry.open();
  final FakeCsiPlugin storage;

  ClusterWorld(Path directory) throws IOException {
    this(directory, PluginShape.full());
  }

  ClusterWorld(Path directory, PluginShape shape) throws IOException {
    this.directory = Files.createDirectories(directory);
    storage =
        FakeCsiPlugin.builder()
            .shape(shape)
            .nodes(NodeId.of("a"), NodeId.of("b"))
            .effects(NodeEffects.filesMountedIn(kernel.host()))
            .open();
    plugins.register(PluginRegistration.controller(PluginBinding.of(PLUGIN, storage.endpoint())));
  }

  /** Opens a control plane, whose answer to a node waits for the storage system. */
  Cluster cluster(RecordStore store) {
    return Cluster.builder(plugins, store).patience(LIMIT).upkeep(false).open();
  }

  /** Opens the agent of a node, whose plugin is ready; what it exchanges is encoded. */
  NodeAgent agent(NodeName node, ControlPlane controlPlane) {
    NodeAgent agent = agent(node, controlPlane, UnaryOperator.identity());
    awaitPlugin(agent);
    return agent;
  }

  /** Opens an agent with other parts; its plugin may not be ready yet. */
  NodeAgent agent(
      NodeName node, ControlPlane controlPlane, UnaryOperator<NodeAgent.Builder> change) {
    Path socket = storage.nodeEndpoint(NodeId.of(node.value())).path();
    return change
        .apply(
            NodeAgent.builder(
                    node, directory.resolve(node.value()), new EncodedControlPlane(controlPlane))
                .plugin(
                    PluginConfig.builder(PLUGIN.value(), socket.getParent())
                        .socketName(socket.getFileName().toString()))
                .patience(Duration.ofSeconds(1))
                .timer(false)
                .claims(terms -> terms.interval(Duration.ofMillis(50)))
                .manager(this::inMemory))
        .open();
  }

  /** A manager on the mounts in memory. */
  VolumeManager.Builder inMemory(VolumeManager.Builder builder) {
    return builder
        .mounts(kernel.table(), kernel.mounts())
        .settings(ManagerSettings.builder().closing(Duration.ofMillis(100)).build());
  }

  static void awaitPlugin(NodeAgent agent) {
    agent.manager().plugins().await(PLUGIN, PluginRole.NODE, LIMIT).join();
  }

  List<String> publishedOn() {
    return storage.contents().published().stream()
        .map(PluginContents.Published::node)
        .map(NodeId::value)
        .toList();
  }

  @Override
  public void close() {
    storage.close();
  }
}
