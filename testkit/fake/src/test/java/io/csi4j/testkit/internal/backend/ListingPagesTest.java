package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.cut;
import static io.csi4j.testkit.internal.backend.Requests.delete;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listing page by page. */
class ListingPagesTest {

  private final Asking plugin = new Asking();

  private ListVolumesResponse page(int most, String token) {
    return plugin.ask(
        ListVolumesResponse.class,
        ListVolumesRequest.newBuilder().setMaxEntries(most).setStartingToken(token).build());
  }

  private static List<String> ids(ListVolumesResponse page) {
    return page.getEntriesList().stream().map(entry -> entry.getVolume().getVolumeId()).toList();
  }

  private List<Volume> volumes(int many) {
    List<Volume> volumes = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      volumes.add(created(plugin, "a" + i));
    }
    return volumes;
  }

  @Test
  void pagesHoldEveryVolumeOnce() {
    List<String> expected = volumes(5).stream().map(Volume::getVolumeId).toList();
    assertThat(ids(page(0, ""))).isEqualTo(expected);
    assertThat(page(0, "").getNextToken()).isEmpty();
    assertThat(page(5, "").getNextToken()).isEmpty();

    List<String> found = new ArrayList<>();
    String token = "";
    int pages = 0;
    do {
      ListVolumesResponse page = page(2, token);
      found.addAll(ids(page));
      token = page.getNextToken();
      pages++;
    } while (!token.isEmpty());
    assertThat(found).isEqualTo(expected);
    assertThat(pages).isEqualTo(3);
  }

  @Test
  void whatStaysIsListedOnceWhateverComesAndGoesBetweenPages() {
    List<Volume> volumes = volumes(6);
    ListVolumesResponse first = page(2, "");
    plugin.ask(delete(volumes.get(1)));
    plugin.ask(delete(volumes.get(2)));
    plugin.backend.addVolume(
        VolumeId.of("aaa-first"),
        io.csi4j.client.model.CapacityRange.exactly(1),
        io.csi4j.client.model.VolumeContext.empty());
    ListVolumesResponse second = page(0, first.getNextToken());
    assertThat(ids(first))
        .containsExactly(volumes.get(0).getVolumeId(), volumes.get(1).getVolumeId());
    assertThat(ids(second))
        .containsExactly(
            volumes.get(3).getVolumeId(),
            volumes.get(4).getVolumeId(),
            volumes.get(5).getVolumeId());
  }

  @Test
  void aTokenCanBeUsedAgainUntilItExpires() {
    volumes(3);
    String token = page(2, "").getNextToken();
    assertThat(token.length()).isBetween(1, 128);
    assertThat(ids(page(2, token))).isEqualTo(ids(page(2, token))).hasSize(1);

    plugin.backend.expireTokens();
    Refusal refusal =
        plugin.refusal(ListVolumesRequest.newBuilder().setStartingToken(token).build());
    assertThat(refusal.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(refusal.text()).contains("Begin again without a token");
  }

  @Test
  void aTokenOfOneListingIsNoneOfAnother() {
    volumes(3);
    String token = page(2, "").getNextToken();
    assertThat(
            plugin
                .refusal(ListSnapshotsRequest.newBuilder().setStartingToken(token).build())
                .code())
        .isEqualTo(StatusCode.ABORTED);
  }

  @Test
  void volumesAreListedWithWhatTheShapeTells() {
    Volume volume = volumes(1).get(0);
    Requests.attached(plugin, volume, Requests.WRITER);
    plugin
        .backend
        .health()
        .volume(VolumeId.of(volume.getVolumeId()), new VolumeCondition(true, "it rattles"));
    ListVolumesResponse.Entry entry = page(0, "").getEntries(0);
    assertThat(entry.getVolume()).isEqualTo(volume);
    assertThat(entry.getStatus().getPublishedNodeIdsList()).containsExactly("node-1");
    assertThat(entry.getStatus().getVolumeCondition().getMessage()).isEqualTo("it rattles");

    plugin.shape =
        PluginShape.full()
            .without(
                ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES,
                ControllerCapability.VOLUME_CONDITION);
    assertThat(page(0, "").getEntries(0).hasStatus()).isFalse();
  }

  private List<Snapshot> snapshots(String volume, String snapshot) {
    return plugin
        .ask(
            ListSnapshotsResponse.class,
            ListSnapshotsRequest.newBuilder()
                .setSourceVolumeId(volume)
                .setSnapshotId(snapshot)
                .build())
        .getEntriesList()
        .stream()
        .map(ListSnapshotsResponse.Entry::getSnapshot)
        .toList();
  }

  @Test
  void snapshotsAreFilteredByVolumeAndId() {
    List<Volume> volumes = volumes(2);
    Snapshot one = cut(plugin, "one", volumes.get(0));
    Snapshot two = cut(plugin, "two", volumes.get(0));
    Snapshot three = cut(plugin, "three", volumes.get(1));
    assertThat(snapshots("", "")).containsExactly(one, two, three);
    assertThat(snapshots(volumes.get(0).getVolumeId(), "")).containsExactly(one, two);
    assertThat(snapshots("", two.getSnapshotId())).containsExactly(two);
    assertThat(snapshots(volumes.get(1).getVolumeId(), two.getSnapshotId())).isEmpty();
    assertThat(snapshots("none", "")).isEmpty();
    assertThat(snapshots("", "none")).isEmpty();
  }

  @Test
  void filteredPagesKeepTheirFilter() {
    List<Volume> volumes = volumes(2);
    List<Snapshot> wanted = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      wanted.add(cut(plugin, "yes" + i, volumes.get(0)));
      cut(plugin, "no" + i, volumes.get(1));
    }
    ListSnapshotsRequest.Builder request =
        ListSnapshotsRequest.newBuilder()
            .setMaxEntries(2)
            .setSourceVolumeId(volumes.get(0).getVolumeId());
    ListSnapshotsResponse first = plugin.ask(ListSnapshotsResponse.class, request.build());
    request.setStartingToken(first.getNextToken());
    ListSnapshotsResponse second = plugin.ask(ListSnapshotsResponse.class, request.build());
    assertThat(first.getEntriesList())
        .extracting(ListSnapshotsResponse.Entry::getSnapshot)
        .containsExactly(wanted.get(0), wanted.get(1));
    assertThat(second.getEntriesList())
        .extracting(ListSnapshotsResponse.Entry::getSnapshot)
        .containsExactly(wanted.get(2));
    assertThat(second.getNextToken()).isEmpty();
    assertThat(plugin.refusal(request.setSourceVolumeId("other").build()).code())
        .isEqualTo(StatusCode.ABORTED);
  }
}
