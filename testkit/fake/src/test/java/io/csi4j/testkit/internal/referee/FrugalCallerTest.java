package io.csi4j.testkit.internal.referee;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import org.junit.jupiter.api.Test;

/** A caller that leaves out everything that the spec calls OPTIONAL is lawful. */
class FrugalCallerTest {

  private static final String VOLUME = "volume_id: 'v' ";
  private static final String CAPABILITY = Toy.capability("SINGLE_NODE_WRITER");
  private static final String AT = "volume_path: '/t/v' ";

  @Test
  void onlyWhatIsRequiredIsEnoughForEveryCall() {
    Toy toy = Toy.introduced(PluginShape.full113());
    toy.ok(CsiOperation.LIST_VOLUMES, "")
        .ok(CsiOperation.GET_CAPACITY, "")
        .ok(CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH, "")
        .ok(CsiOperation.LIST_SNAPSHOTS, "")
        .ok(CsiOperation.NODE_GET_STORAGE_HEALTH, "")
        .ok(
            CsiOperation.CREATE_VOLUME,
            "name: 'n' " + Toy.capabilities("SINGLE_NODE_WRITER"),
            "volume { volume_id: 'v' }")
        .ok(
            CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
            VOLUME + Toy.capabilities("SINGLE_NODE_WRITER"))
        .ok(CsiOperation.CONTROLLER_GET_VOLUME, VOLUME)
        .ok(CsiOperation.CONTROLLER_GET_VOLUME_HEALTH, VOLUME)
        .ok(
            CsiOperation.CONTROLLER_MODIFY_VOLUME,
            VOLUME + "mutable_parameters { key: 'k' value: 'v' }")
        .ok(CsiOperation.CONTROLLER_PUBLISH_VOLUME, VOLUME + "node_id: 'node-1' " + CAPABILITY)
        .ok(CsiOperation.NODE_STAGE_VOLUME, VOLUME + "staging_target_path: '/s/v' " + CAPABILITY)
        .ok(
            CsiOperation.NODE_PUBLISH_VOLUME,
            VOLUME + "staging_target_path: '/s/v' target_path: '/t/v' " + CAPABILITY)
        .ok(CsiOperation.NODE_GET_VOLUME_STATS, VOLUME + AT)
        .ok(CsiOperation.NODE_GET_VOLUME_HEALTH, VOLUME)
        .ok(
            CsiOperation.CONTROLLER_EXPAND_VOLUME,
            VOLUME + "capacity_range { required_bytes: 2000 }",
            "capacity_bytes: 2000 node_expansion_required: true")
        .ok(CsiOperation.NODE_EXPAND_VOLUME, VOLUME + AT)
        .snapshot("s1", "v", true)
        .snapshot("s2", "v", true)
        .ok(CsiOperation.GET_SNAPSHOT, "snapshot_id: 's1'")
        .ok(CsiOperation.GET_METADATA_ALLOCATED, "snapshot_id: 's1'")
        .ok(CsiOperation.GET_METADATA_DELTA, "base_snapshot_id: 's1' target_snapshot_id: 's2'")
        .ok(CsiOperation.DELETE_SNAPSHOT, "snapshot_id: 's2'")
        .ok(CsiOperation.DELETE_SNAPSHOT, "snapshot_id: 's1'")
        .group("g", "m", "v", true)
        .ok(
            CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
            "group_snapshot_id: 'g' snapshot_ids: 'm'",
            "group_snapshot { group_snapshot_id: 'g' "
                + "snapshots { snapshot_id: 'm' group_snapshot_id: 'g' } }")
        .ok(CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT, "group_snapshot_id: 'g' snapshot_ids: 'm'")
        .ok(CsiOperation.NODE_UNPUBLISH_VOLUME, VOLUME + "target_path: '/t/v'")
        .ok(CsiOperation.NODE_UNSTAGE_VOLUME, VOLUME + "staging_target_path: '/s/v'")
        .ok(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, VOLUME)
        .ok(CsiOperation.DELETE_VOLUME, VOLUME);

    Verdict verdict = toy.verdict();

    assertThat(verdict.lawful()).as(verdict.describe()).isTrue();
    // The spec says SHOULD of the staging path in two calls, and of the clearer access modes.
    assertThat(verdict.broken())
        .containsExactlyInAnyOrder(DutyId.of(420), DutyId.of(444), DutyId.of(472));
  }
}
