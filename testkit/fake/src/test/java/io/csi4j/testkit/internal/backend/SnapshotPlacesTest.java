package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.cut;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Snapshots that can be used from some places only. */
class SnapshotPlacesTest {

  private static final PluginShape SHAPE =
      PluginShape.full113()
          .topologies(
              io.csi4j.client.model.Topology.of(Map.of("zone", "z1")),
              io.csi4j.client.model.Topology.of(Map.of("zone", "z2")));
  private static final Topology ONE = zone("z1");
  private static final Topology TWO = zone("z2");

  private final Asking plugin = new Asking(SHAPE);

  private static Topology zone(String zone) {
    return Topology.newBuilder().putSegments("zone", zone).build();
  }

  private static TopologyRequirement in(Topology place) {
    return TopologyRequirement.newBuilder().addRequisite(place).build();
  }

  private static CreateSnapshotRequest wanted(Volume volume, Topology place) {
    return Requests.snapshot("s", volume).toBuilder()
        .setAccessibilityRequirements(in(place))
        .build();
  }

  @Test
  void aSnapshotIsWhereItsVolumeIsUnlessAnotherPlaceIsWanted() {
    Volume volume = created(plugin, "a");
    assertThat(volume.getAccessibleTopologyList()).containsExactly(ONE);
    assertThat(cut(plugin, "near", volume).getAccessibleTopologyList()).containsExactly(ONE);
    Snapshot far = plugin.ask(CreateSnapshotResponse.class, wanted(volume, TWO)).getSnapshot();
    assertThat(far.getAccessibleTopologyList()).containsExactly(TWO);
    var ask = GetSnapshotRequest.newBuilder().setSnapshotId(far.getSnapshotId()).build();
    assertThat(plugin.ask(GetSnapshotResponse.class, ask).getSnapshot()).isEqualTo(far);

    plugin.shape = SHAPE.without(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);
    assertThat(plugin.ask(GetSnapshotResponse.class, ask).getSnapshot().getAccessibleTopologyList())
        .isEmpty();
  }

  @Test
  void aPlaceThatCannotBeIsRefused() {
    Volume volume = created(plugin, "a");
    assertThat(plugin.refusal(wanted(volume, zone("z9"))).code())
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    plugin.ask(wanted(volume, ONE));
    assertThat(plugin.refusal(wanted(volume, TWO)).code()).isEqualTo(StatusCode.ALREADY_EXISTS);

    plugin.shape = SHAPE.without(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);
    Refusal refusal = plugin.refusal(wanted(volume, ONE));
    assertThat(refusal.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(refusal.text()).contains("SNAPSHOT_ACCESSIBILITY_CONSTRAINTS");
  }

  @Test
  void aVolumeIsMadeWhereItsSnapshotCanBeUsed() {
    Volume volume = created(plugin, "a");
    Snapshot far = plugin.ask(CreateSnapshotResponse.class, wanted(volume, TWO)).getSnapshot();
    assertThat(created(plugin, Requests.filledFrom(far, "b")).getAccessibleTopologyList())
        .containsExactly(TWO);
    CreateVolumeRequest near =
        Requests.filledFrom(far, "c").setAccessibilityRequirements(in(ONE)).build();
    assertThat(plugin.refusal(near).code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }
}
