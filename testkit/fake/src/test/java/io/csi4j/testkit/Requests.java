package io.csi4j.testkit;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.VolumeCapability;

/** Lawful requests in short. */
public final class Requests {

  private Requests() {}

  /** A probe. */
  public static Message probe() {
    return ProbeRequest.getDefaultInstance();
  }

  /** To be mounted, by one writer. */
  public static VolumeCapability mount() {
    return VolumeCapability.newBuilder()
        .setMount(VolumeCapability.MountVolume.newBuilder().setFsType("ext4"))
        .setAccessMode(
            VolumeCapability.AccessMode.newBuilder()
                .setMode(VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER))
        .build();
  }

  /** A new volume of 1 GiB. */
  public static CreateVolumeRequest create(String name) {
    return CreateVolumeRequest.newBuilder()
        .setName(name)
        .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(1L << 30))
        .addVolumeCapabilities(mount())
        .build();
  }

  /** The end of a volume. */
  public static Message delete(String volume) {
    return DeleteVolumeRequest.newBuilder().setVolumeId(volume).build();
  }

  /** A staging. */
  public static NodeStageVolumeRequest stage(String volume, String path) {
    return NodeStageVolumeRequest.newBuilder()
        .setVolumeId(volume)
        .setStagingTargetPath(path)
        .setVolumeCapability(mount())
        .build();
  }
}
