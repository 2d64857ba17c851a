package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.GoCalls;
import io.csi4j.client.internal.proto.NodeGrpc;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.MountRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The four calls that mount a volume and unmount it, with the same paths and contents as the calls
 * of a manager.
 */
record FourCalls(
    NodeStageVolumeRequest stage,
    NodePublishVolumeRequest publish,
    NodeUnpublishVolumeRequest unpublish,
    NodeUnstageVolumeRequest unstage) {

  private static final VolumeCapability CAPABILITY =
      VolumeCapability.newBuilder()
          .setMount(VolumeCapability.MountVolume.getDefaultInstance())
          .setAccessMode(
              VolumeCapability.AccessMode.newBuilder()
                  .setMode(VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER))
          .build();

  static VolumeIdentity identity(MountRequest request) {
    return new VolumeIdentity(request.plugin(), request.handle());
  }

  /** Returns the calls for a request, with paths below the directory of a manager. */
  static FourCalls of(VolumeLayout layout, MountRequest request) {
    VolumeIdentity identity = identity(request);
    Map<String, String> context = request.volumeContext().reveal();
    String volume = request.handle().value();
    String staging = layout.staging(identity).toString();
    String target = layout.target(identity, request.usage()).toString();
    return new FourCalls(
        NodeStageVolumeRequest.newBuilder()
            .setVolumeId(volume)
            .setStagingTargetPath(staging)
            .setVolumeCapability(CAPABILITY)
            .putAllVolumeContext(context)
            .build(),
        NodePublishVolumeRequest.newBuilder()
            .setVolumeId(volume)
            .setStagingTargetPath(staging)
            .setTargetPath(target)
            .setVolumeCapability(CAPABILITY)
            .putAllVolumeContext(context)
            .build(),
        NodeUnpublishVolumeRequest.newBuilder().setVolumeId(volume).setTargetPath(target).build(),
        NodeUnstageVolumeRequest.newBuilder()
            .setVolumeId(volume)
            .setStagingTargetPath(staging)
            .build());
  }

  /** Writes the requests into a directory, for the Go program. */
  GoCalls.Round written(Path directory, long deadlineMillis) throws IOException {
    List<byte[]> all =
        List.of(
            stage.toByteArray(),
            publish.toByteArray(),
            unpublish.toByteArray(),
            unstage.toByteArray());
    List<Path> files = new ArrayList<>();
    for (byte[] request : all) {
      Path file = directory.resolve("call-" + files.size() + ".request");
      Files.write(file, request);
      files.add(file);
    }
    return new GoCalls.Round(
        List.of(
            NodeGrpc.getNodeStageVolumeMethod().getFullMethodName(),
            NodeGrpc.getNodePublishVolumeMethod().getFullMethodName(),
            NodeGrpc.getNodeUnpublishVolumeMethod().getFullMethodName(),
            NodeGrpc.getNodeUnstageVolumeMethod().getFullMethodName()),
        files,
        deadlineMillis);
  }
}
