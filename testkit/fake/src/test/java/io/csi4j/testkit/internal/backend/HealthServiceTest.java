package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.WRITER;
import static io.csi4j.testkit.internal.backend.Requests.created;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse.StorageBackendHealth;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.StorageHealthErrorType;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCondition;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry.Status;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The health that was set, as plugins of CSI 1.12 and of 1.13 tell it. */
class HealthServiceTest {

  private static final VolumeHealthEntry LEG =
      VolumeHealthEntry.of(Status.DEGRADED, HealthReason.of("ReplicaLost"), "one of two is gone");
  private static final VolumeHealthEntry AWAY =
      VolumeHealthEntry.of(Status.INACCESSIBLE, HealthReason.of("PathLost"), "no path is left");

  private final Asking plugin = new Asking(PluginShape.full112And113());

  private static VolumeId id(Volume volume) {
    return VolumeId.of(volume.getVolumeId());
  }

  private VolumeHealth controller(Volume volume) {
    return plugin
        .ask(
            ControllerGetVolumeHealthResponse.class,
            ControllerGetVolumeHealthRequest.newBuilder().setVolumeId(volume.getVolumeId()).build())
        .getVolumeHealth();
  }

  private VolumeHealth node(NodeId node, Volume volume) {
    return plugin
        .on(
            node,
            NodeGetVolumeHealthResponse.class,
            NodeGetVolumeHealthRequest.newBuilder().setVolumeId(volume.getVolumeId()).build())
        .getVolumeHealth();
  }

  private VolumeCondition condition(Volume volume) {
    return plugin
        .ask(
            ControllerGetVolumeResponse.class,
            ControllerGetVolumeRequest.newBuilder().setVolumeId(volume.getVolumeId()).build())
        .getStatus()
        .getVolumeCondition();
  }

  private ControllerListVolumeHealthResponse page(int most, String token) {
    return plugin.ask(
        ControllerListVolumeHealthResponse.class,
        ControllerListVolumeHealthRequest.newBuilder()
            .setMaxEntries(most)
            .setStartingToken(token)
            .build());
  }

  private static List<String> reasons(VolumeHealth health) {
    return health.getHealthStatusesList().stream()
        .map(entry -> entry.getStatusValue() + " " + entry.getReason())
        .toList();
  }

  private List<StorageBackendHealth> storage(NodeId node) {
    return plugin
        .on(
            node,
            NodeGetStorageHealthResponse.class,
            NodeGetStorageHealthRequest.getDefaultInstance())
        .getBackendHealthList();
  }

  @Test
  void aVolumeWithNothingSetIsWell() {
    Volume volume = created(plugin, "a");
    assertThat(controller(volume))
        .isEqualTo(VolumeHealth.newBuilder().setVolumeId(volume.getVolumeId()).build());
    assertThat(node(Asking.ONE, volume)).isEqualTo(controller(volume));
    assertThat(page(0, "").getEntriesList()).isEmpty();
    assertThat(condition(volume).getAbnormal()).isFalse();
    assertThat(storage(Asking.ONE)).isEmpty();
  }

  @Test
  void oneSettingIsToldInTheWordsOfBothGenerations() {
    Volume volume = created(plugin, "a");
    plugin
        .backend
        .health()
        .volume(id(volume), List.of(LEG, VolumeHealthEntry.of(9, HealthReason.of("Odd"), "")));
    assertThat(reasons(controller(volume))).containsExactly("1 ReplicaLost", "9 Odd");
    assertThat(node(Asking.TWO, volume)).isEqualTo(controller(volume));
    assertThat(page(0, "").getEntriesList()).containsExactly(controller(volume));
    assertThat(condition(volume).getAbnormal()).isTrue();
    assertThat(condition(volume).getMessage())
        .contains("DEGRADED ReplicaLost: one of two is gone", "Odd");

    plugin.backend.health().volume(id(volume), List.of());
    assertThat(reasons(controller(volume))).isEmpty();
    assertThat(page(0, "").getEntriesList()).isEmpty();
    assertThat(condition(volume).getAbnormal()).isFalse();
  }

  @Test
  void aConditionIsToldAsADegradedVolume() {
    Volume volume = created(plugin, "a");
    plugin
        .backend
        .health()
        .volume(id(volume), new io.csi4j.client.model.VolumeCondition(true, "it rattles"));
    assertThat(condition(volume).getMessage()).isEqualTo("it rattles");
    assertThat(reasons(controller(volume))).containsExactly("1 VolumeCondition");

    plugin
        .backend
        .health()
        .volume(id(volume), new io.csi4j.client.model.VolumeCondition(false, "repaired"));
    assertThat(condition(volume).getMessage()).isEqualTo("repaired");
    assertThat(reasons(controller(volume))).isEmpty();
  }

  @Test
  void aNodeTellsItsOwnHealthWhereOneIsSet() {
    Volume volume = created(plugin, "a");
    Requests.published(plugin, volume, WRITER, "/target");
    plugin.backend.health().volume(id(volume), List.of(LEG));
    plugin.backend.health().onNode(Asking.ONE, id(volume), List.of(AWAY));
    assertThat(reasons(node(Asking.ONE, volume))).containsExactly("2 PathLost");
    assertThat(reasons(node(Asking.TWO, volume))).containsExactly("1 ReplicaLost");
    assertThat(reasons(controller(volume))).containsExactly("1 ReplicaLost");
    assertThat(
            plugin
                .ask(
                    NodeGetVolumeStatsResponse.class,
                    NodeGetVolumeStatsRequest.newBuilder()
                        .setVolumeId(volume.getVolumeId())
                        .setVolumePath("/target")
                        .build())
                .getVolumeCondition()
                .getMessage())
        .contains("PathLost");

    plugin.backend.health().onNode(Asking.ONE, id(volume), List.of());
    assertThat(reasons(node(Asking.ONE, volume))).isEmpty();
    plugin.backend.health().clear();
    assertThat(reasons(node(Asking.TWO, volume))).isEmpty();
  }

  @Test
  void theStorageIsSickByNode() {
    VolumeCapability block = VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER);
    plugin
        .backend
        .health()
        .storage(
            Asking.ONE,
            List.of(
                StorageHealthEntry.of(
                    2, HealthReason.of("NoRoute"), "no way", Optional.of(block))));
    assertThat(storage(Asking.ONE)).hasSize(1);
    assertThat(storage(Asking.ONE).get(0).getStatus())
        .isEqualTo(StorageHealthErrorType.STORAGE_UNREACHABLE);
    assertThat(storage(Asking.ONE).get(0).getVolumeCapability())
        .isEqualTo(Requests.block(WRITER.getAccessMode().getMode()));
    assertThat(storage(Asking.TWO)).isEmpty();

    storageEverywhere(
        List.of(StorageHealthEntry.of(1, HealthReason.of("Slow"), "", Optional.empty())));
    assertThat(storage(Asking.ONE)).isEqualTo(storage(Asking.TWO)).hasSize(1);
    plugin.backend.health().clear();
    assertThat(storage(Asking.TWO)).isEmpty();
  }

  private void storageEverywhere(List<StorageHealthEntry> entries) {
    plugin.backend.health().storage(Asking.ONE, entries);
    plugin.backend.health().storage(Asking.TWO, entries);
  }

  @ParameterizedTest
  @EnumSource(
      value = AccessMode.class,
      names = {"UNSPECIFIED", "UNRECOGNIZED"})
  void theHealthOfAStorageIsNotSetForAModeThatIsNotStated(AccessMode mode) {
    StorageHealthEntry slow =
        StorageHealthEntry.of(1, HealthReason.of("Slow"), "", Optional.empty());
    storageEverywhere(List.of(slow));
    StorageHealthEntry unstated =
        StorageHealthEntry.of(
            2, HealthReason.of("NoRoute"), "", Optional.of(VolumeCapability.block(mode)));
    assertThatThrownBy(() -> storageEverywhere(List.of(slow, unstated)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "The health of a storage cannot be set for the access mode "
                + mode
                + ": CSI has no such mode. State the mode, or leave out the capability.");
    assertThat(storage(Asking.ONE)).hasSize(1);
  }

  @Test
  void thePagesHoldTheVolumesThatAreNotWell() {
    List<Volume> volumes =
        List.of("a", "b", "c", "d").stream().map(name -> created(plugin, name)).toList();
    for (int sick : new int[] {0, 1, 3}) {
      plugin.backend.health().volume(id(volumes.get(sick)), List.of(LEG));
    }
    ControllerListVolumeHealthResponse first = page(2, "");
    ControllerListVolumeHealthResponse second = page(2, first.getNextToken());
    assertThat(first.getEntriesList())
        .containsExactly(controller(volumes.get(0)), controller(volumes.get(1)));
    assertThat(second.getEntriesList()).containsExactly(controller(volumes.get(3)));
    assertThat(second.getNextToken()).isEmpty();

    plugin.backend.expireTokens();
    var request = ControllerListVolumeHealthRequest.newBuilder();
    assertThat(plugin.refusal(request.setStartingToken(first.getNextToken()).build()).code())
        .isEqualTo(StatusCode.ABORTED);
    assertThat(plugin.refusal(request.setStartingToken("").setMaxEntries(-1).build()).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void aVolumeThatDoesNotExistHasNoHealth() {
    assertThat(
            plugin
                .refusal(ControllerGetVolumeHealthRequest.newBuilder().setVolumeId("none").build())
                .code())
        .isEqualTo(StatusCode.NOT_FOUND);
    var request = NodeGetVolumeHealthRequest.newBuilder().setVolumeId("none");
    assertThat(plugin.refusal(request.build()).code()).isEqualTo(StatusCode.NOT_FOUND);
    assertThat(plugin.refusal(request.setVolumePublishPath("relative").build()).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void aVolumeThatIsDeletedIsListedNoMore() {
    Volume volume = created(plugin, "a");
    plugin.backend.health().volume(id(volume), List.of(LEG));
    plugin.ask(Requests.delete(volume));
    assertThat(page(0, "").getEntriesList()).isEmpty();
  }
}
