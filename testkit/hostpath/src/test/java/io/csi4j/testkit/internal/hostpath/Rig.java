package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.CreateSnapshotRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeGetVolumeHealthRequest;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A host path plugin in the directory of a test, and a client of it. */
final class Rig implements AutoCloseable {

  static final long MIB = 1 << 20;

  static final VolumeCapability MOUNT = VolumeCapability.mount(AccessMode.SINGLE_NODE_MULTI_WRITER);
  static final VolumeCapability BLOCK = VolumeCapability.block(AccessMode.SINGLE_NODE_MULTI_WRITER);

  private final Path root;
  private final Map<VolumeId, VolumeContext> contexts = new HashMap<>();
  private HostPathPlugin plugin;
  private CsiPlugin client;

  private Rig(Path root) {
    this.root = root;
    plugin = HostPathPlugin.builder(data()).open();
    client = CsiPlugin.connect(plugin.endpoint());
  }

  static Rig open(Scratch scratch) {
    return in(scratch.root().toPath());
  }

  /** One in any directory. */
  static Rig in(Path root) {
    return new Rig(root);
  }

  HostPathPlugin plugin() {
    return plugin;
  }

  CsiPlugin client() {
    return client;
  }

  Path data() {
    return root.resolve("data");
  }

  /** Another plugin object, over the same directory. */
  void reopen() {
    close();
    plugin = HostPathPlugin.builder(data()).open();
    client = CsiPlugin.connect(plugin.endpoint());
  }

  Volume create(CreateVolumeRequest.Builder request) {
    Volume volume = client.controller().createVolume(request.build());
    contexts.put(volume.id(), volume.context());
    return volume;
  }

  VolumeId create(String name, VolumeCapability capability, Map<String, String> parameters) {
    return create(
            CreateVolumeRequest.builder(name, List.of(capability))
                .capacityRange(CapacityRange.atLeast(MIB))
                .parameters(parameters))
        .id();
  }

  VolumeId create(String name) {
    return create(name, MOUNT, Map.of());
  }

  VolumeId clone(String name, VolumeCapability capability, VolumeContentSource source) {
    return create(
            CreateVolumeRequest.builder(name, List.of(capability))
                .capacityRange(CapacityRange.atLeast(MIB))
                .contentSource(source))
        .id();
  }

  SnapshotId snapshot(VolumeId volume, String name) {
    return client
        .controller()
        .createSnapshot(CreateSnapshotRequest.builder(volume, name).build())
        .id();
  }

  void deleteSnapshot(SnapshotId snapshot) {
    client.controller().deleteSnapshot(DeleteSnapshotRequest.builder(snapshot).build());
  }

  long expand(VolumeId volume, long bytes) {
    return client
        .controller()
        .expandVolume(
            ControllerExpandVolumeRequest.builder(volume, CapacityRange.atLeast(bytes)).build())
        .capacityBytes()
        .orElseThrow();
  }

  void delete(VolumeId volume) {
    client.controller().deleteVolume(DeleteVolumeRequest.builder(volume).build());
  }

  /** Where a volume is staged in these tests. */
  PluginPath staging(VolumeId volume) {
    return PluginPath.of(directory("staging/" + volume.value()).toString());
  }

  PluginPath target(String name) {
    if (name.startsWith("/")) {
      return PluginPath.of(name);
    }
    return PluginPath.of(directory("targets").resolve(name).toString());
  }

  private Path directory(String name) {
    try {
      return Files.createDirectories(root.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same for the JDK. */
  Path file(String name) {
    return root.resolve("targets").resolve(name);
  }

  void stage(VolumeId volume, VolumeCapability capability) {
    client
        .node()
        .stageVolume(
            NodeStageVolumeRequest.builder(volume, staging(volume), capability)
                .volumeContext(context(volume))
                .build());
  }

  void publish(VolumeId volume, VolumeCapability capability, String name, boolean readonly) {
    client
        .node()
        .publishVolume(
            NodePublishVolumeRequest.builder(volume, target(name), capability)
                .stagingTargetPath(staging(volume))
                .volumeContext(context(volume))
                .readonly(readonly)
                .build());
  }

  /** Stages and publishes, and gives the path. */
  Path use(VolumeId volume, VolumeCapability capability, String name) {
    stage(volume, capability);
    publish(volume, capability, name, false);
    return file(name);
  }

  void unpublish(VolumeId volume, String name) {
    client.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(volume, target(name)).build());
  }

  void unstage(VolumeId volume) {
    client.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume, staging(volume)).build());
  }

  void release(VolumeId volume, String name) {
    unpublish(volume, name);
    unstage(volume);
  }

  VolumeStats stats(VolumeId volume, String name) {
    return client
        .node()
        .getVolumeStats(NodeGetVolumeStatsRequest.builder(volume, target(name)).build());
  }

  List<VolumeHealthEntry> controllerHealth(VolumeId volume) {
    return client
        .controller()
        .getVolumeHealth(ControllerGetVolumeHealthRequest.builder(volume).build())
        .entries();
  }

  List<VolumeHealthEntry> nodeHealth(VolumeId volume) {
    return client
        .node()
        .getVolumeHealth(NodeGetVolumeHealthRequest.builder(volume).build())
        .entries();
  }

  VolumeContext context(VolumeId volume) {
    return contexts.getOrDefault(volume, VolumeContext.empty());
  }

  /** The mounts below the directory of the test. */
  List<String> mounts() {
    return Scratch.rows("self").stream()
        .map(row -> row.split(" ", -1)[4])
        .filter(path -> path.startsWith(root + "/"))
        .toList();
  }

  /** Everything in a directory, by its path below it. */
  static List<String> tree(Path root) {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(each -> !each.equals(root))
          .map(each -> root.relativize(each).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    plugin.close();
  }
}
