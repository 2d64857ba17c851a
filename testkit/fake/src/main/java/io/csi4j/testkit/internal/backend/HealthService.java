package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.VolumeHealth;
import java.util.TreeMap;

/**
 * Reports the health of volumes and of the storage: the health that a test has set, and the
 * problems that the storage itself has found. Calls that read health run concurrently with all
 * other calls, and never wait for them.
 */
final class HealthService {

  private final BackendParts ground;
  private final ListingPages pages;

  HealthService(BackendParts ground, ListingPages pages) {
    this.ground = ground;
    this.pages = pages;
  }

  /** Lists the unhealthy volumes, page by page. */
  ControllerListVolumeHealthResponse volumes(Call call, ControllerListVolumeHealthRequest request)
      throws Refusal {
    TreeMap<String, VolumeHealth> all = new TreeMap<>();
    for (String id : ground.now().volumes().keySet()) {
      all.put(id, found(ground.health().health(id)));
    }
    ListingPages.Page<VolumeHealth> page =
        pages.page(
            "volume health",
            all,
            request.getStartingToken(),
            request.getMaxEntries(),
            health -> health.getHealthStatusesCount() > 0);
    return ControllerListVolumeHealthResponse.newBuilder()
        .addAllEntries(page.entries())
        .setNextToken(page.next())
        .build();
  }

  ControllerGetVolumeHealthResponse volume(Call call, ControllerGetVolumeHealthRequest request)
      throws Refusal {
    String id = known(request.getVolumeId());
    return ControllerGetVolumeHealthResponse.newBuilder()
        .setVolumeHealth(found(ground.health().health(id)))
        .build();
  }

  NodeGetVolumeHealthResponse volumeOnNode(Call call, NodeGetVolumeHealthRequest request)
      throws Refusal {
    String id = known(request.getVolumeId());
    return NodeGetVolumeHealthResponse.newBuilder()
        .setVolumeHealth(found(ground.health().health(call.onThisNode(id))))
        .build();
  }

  NodeGetStorageHealthResponse storage(Call call) {
    return NodeGetStorageHealthResponse.newBuilder()
        .addAllBackendHealth(ground.health().storage(call.here()))
        .build();
  }

  private String known(String id) throws Refusal {
    return ground.volume("volume_id", id).volume().getVolumeId();
  }

  /**
   * Returns the health that a test has set, together with the problems that the storage has found.
   */
  private VolumeHealth found(VolumeHealth set) {
    return set.toBuilder().addAllHealthStatuses(ground.storage().health(set.getVolumeId())).build();
  }
}
