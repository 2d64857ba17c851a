package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.WRITER;
import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.cut;
import static io.csi4j.testkit.internal.backend.Requests.newVolume;
import static io.csi4j.testkit.internal.backend.Requests.unpublish;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How plugins differ from the plainest one. */
class QuirksTest {

  @TempDir Path directory;

  private static Asking with(Quirk quirk) {
    return new Asking(PluginShape.full().with(quirk));
  }

  private Asking withFiles(Quirk quirk) {
    return new Asking(PluginShape.noStaging().with(quirk), new MemoryStorage(NodeEffects.files()));
  }

  private String publishedAt(Asking plugin, Volume volume) {
    String target = directory.resolve("target").toString();
    plugin.ask(
        Requests.publish(volume, Requests.attached(plugin, volume, WRITER), WRITER, target)
            .build());
    return target;
  }

  @Test
  void probeWithoutReady() {
    ProbeRequest probe = ProbeRequest.getDefaultInstance();
    assertThat(with(Quirk.PROBE_WITHOUT_READY).ask(ProbeResponse.class, probe).hasReady())
        .isFalse();
    assertThat(new Asking().ask(ProbeResponse.class, probe).getReady().getValue()).isTrue();
  }

  @Test
  void unknownCapabilities() {
    Asking plugin = with(Quirk.UNKNOWN_CAPABILITY);
    assertThat(
            plugin
                .ask(
                    GetPluginCapabilitiesResponse.class,
                    GetPluginCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList())
        .extracting(capability -> capability.getService().getTypeValue())
        .contains(0, 99);
    assertThat(
            plugin
                .ask(
                    ControllerGetCapabilitiesResponse.class,
                    ControllerGetCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList())
        .extracting(capability -> capability.getRpc().getTypeValue())
        .contains(0, 99, 1, 15);
    assertThat(
            plugin
                .ask(
                    NodeGetCapabilitiesResponse.class,
                    NodeGetCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList())
        .extracting(capability -> capability.getRpc().getTypeValue())
        .containsExactly(1, 2, 3, 4, 5, 6, 0, 99);
  }

  @Test
  void capacityUntold() {
    Asking plugin = with(Quirk.CAPACITY_UNTOLD);
    Volume volume = created(plugin, "a");
    assertThat(volume.getCapacityBytes()).isZero();
    assertThat(cut(plugin, "s", volume).getSizeBytes()).isZero();
    assertThat(
            plugin
                .ask(ListVolumesResponse.class, ListVolumesRequest.getDefaultInstance())
                .getEntries(0)
                .getVolume()
                .getCapacityBytes())
        .isZero();
    Message again = newVolume("a").setCapacityRange(Requests.exactly(2)).build();
    assertThat(plugin.refusal(again).code()).isEqualTo(StatusCode.ALREADY_EXISTS);
  }

  @Test
  void confirmedLeftOut() {
    assertThat(validated(with(Quirk.CONFIRMED_LEFT_OUT)))
        .isEqualTo(ValidateVolumeCapabilitiesResponse.getDefaultInstance());
  }

  @Test
  void confirmedLeftOutWithMessage() {
    ValidateVolumeCapabilitiesResponse answer =
        validated(with(Quirk.CONFIRMED_LEFT_OUT_WITH_MESSAGE));
    assertThat(answer.hasConfirmed()).isFalse();
    assertThat(answer.getMessage()).isEqualTo("Validating volumes is not implemented yet.");
  }

  @Test
  void onlyAccessModeConfirmed() {
    assertThat(
            validated(with(Quirk.ONLY_ACCESS_MODE_CONFIRMED))
                .getConfirmed()
                .getVolumeCapabilitiesList())
        .containsExactly(WRITER.toBuilder().clearAccessType().build());
  }

  private static ValidateVolumeCapabilitiesResponse validated(Asking plugin) {
    return plugin.ask(
        ValidateVolumeCapabilitiesResponse.class,
        ValidateVolumeCapabilitiesRequest.newBuilder()
            .setVolumeId(created(plugin, "a").getVolumeId())
            .addVolumeCapabilities(WRITER)
            .build());
  }

  @Test
  void secondDeleteInternal() {
    Asking plugin = with(Quirk.SECOND_DELETE_INTERNAL);
    Volume volume = created(plugin, "a");
    plugin.ask(Requests.delete(volume));
    List<Message> gone =
        List.of(
            Requests.delete(volume),
            DeleteSnapshotRequest.newBuilder().setSnapshotId("none").build(),
            DeleteVolumeGroupSnapshotRequest.newBuilder()
                .setGroupSnapshotId("none")
                .addSnapshotIds("none")
                .build());
    assertThat(gone)
        .allSatisfy(
            request -> assertThat(plugin.refusal(request).code()).isEqualTo(StatusCode.INTERNAL));
  }

  @Test
  void targetLeftBehind() {
    Asking plugin = withFiles(Quirk.TARGET_LEFT_BEHIND);
    Volume volume = created(plugin, "a");
    String target = publishedAt(plugin, volume);
    plugin.ask(unpublish(volume, target));
    assertThat(Path.of(target)).isDirectory();
    assertThat(plugin.backend.contents().published()).isEmpty();
  }

  @Test
  void targetNeverMade() {
    Asking plugin = withFiles(Quirk.TARGET_NEVER_MADE);
    Volume volume = created(plugin, "a");
    String target = publishedAt(plugin, volume);
    assertThat(Files.exists(Path.of(target))).isFalse();
    assertThat(plugin.backend.contents().published()).hasSize(1);
    plugin.ask(unpublish(volume, target));
  }

  @Test
  void lawfulQuirksAloneConform() {
    for (Quirk quirk : Quirk.values()) {
      assertThat(PluginShape.full().with(quirk).conforms()).isEqualTo(quirk.lawful());
    }
  }
}
