package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The smallest orchestrator there is, for the page about testing one. */
final class MyOrchestrator {

  private static final VolumeCapability USE =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_SINGLE_WRITER);

  private final CsiPlugin plugin;
  private final Path directory;

  MyOrchestrator(CsiPlugin plugin, Path directory) {
    this.plugin = plugin;
    this.directory = directory;
  }

  void mount(VolumeId volume) throws IOException {
    plugin.node().getInfo();
    plugin
        .controller()
        .validateVolumeCapabilities(
            ValidateVolumeCapabilitiesRequest.builder(volume, List.of(USE)).build());
    Files.createDirectories(Path.of(staging(volume).value()));
    plugin.node().stageVolume(NodeStageVolumeRequest.builder(volume, staging(volume), USE).build());
    plugin
        .node()
        .publishVolume(
            NodePublishVolumeRequest.builder(volume, target(volume), USE)
                .stagingTargetPath(staging(volume))
                .build());
  }

  void unmount(VolumeId volume) {
    plugin
        .node()
        .unpublishVolume(NodeUnpublishVolumeRequest.builder(volume, target(volume)).build());
    plugin.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume, staging(volume)).build());
  }

  /** Forgets to unpublish. */
  void unmountWrongly(VolumeId volume) {
    plugin.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume, staging(volume)).build());
  }

  private PluginPath staging(VolumeId volume) {
    return path(directory.resolve(volume + "-staging"));
  }

  private PluginPath target(VolumeId volume) {
    return path(directory.resolve(volume + "-target"));
  }

  private static PluginPath path(Path path) {
    return PluginPath.of(path.toString());
  }
}
