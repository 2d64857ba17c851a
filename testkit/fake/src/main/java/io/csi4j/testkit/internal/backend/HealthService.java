package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.VolumeHealth;

/** The health of volumes and of the storage: everything that exists is well. */
final class HealthService {

  private static final String LISTING = "volume health";

  private final BackendParts ground;
  private final Tokens tokens;

  HealthService(BackendParts ground, Tokens tokens) {
    this.ground = ground;
    this.tokens = tokens;
  }

  ControllerListVolumeHealthResponse volumes(ControllerListVolumeHealthRequest request)
      throws Refusal {
    if (!request.getStartingToken().isEmpty()) {
      tokens.after(LISTING, request.getStartingToken());
    }
    return ControllerListVolumeHealthResponse.getDefaultInstance();
  }

  ControllerGetVolumeHealthResponse volume(ControllerGetVolumeHealthRequest request)
      throws Refusal {
    return ControllerGetVolumeHealthResponse.newBuilder()
        .setVolumeHealth(well(request.getVolumeId()))
        .build();
  }

  NodeGetVolumeHealthResponse volumeOnNode(NodeGetVolumeHealthRequest request) throws Refusal {
    return NodeGetVolumeHealthResponse.newBuilder()
        .setVolumeHealth(well(request.getVolumeId()))
        .build();
  }

  NodeGetStorageHealthResponse storage() {
    return NodeGetStorageHealthResponse.getDefaultInstance();
  }

  private VolumeHealth well(String id) throws Refusal {
    return VolumeHealth.newBuilder()
        .setVolumeId(ground.volume("volume_id", id).volume().getVolumeId())
        .build();
  }
}
