package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CatalogRoomTest {

  private static final CatalogEntry SMALL =
      new CatalogEntry(
          VolumeKey.of("db"),
          VolumeSpec.builder(PluginId.of("fake"))
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .build(),
          Optional.of("csi4j-x"),
          new State.Creating());

  private static PendingSnapshot cut(int bytes) {
    return new PendingSnapshot(
        "nightly", new TreeMap<>(Map.of("note", "x".repeat(bytes))), new TreeSet<>());
  }

  /** A record with so many bytes. */
  private static CatalogEntry record(int bytes) {
    CatalogEntry about = SMALL.with(cut(bytes));
    return SMALL.with(cut(2 * bytes - CatalogCodec.size(about)));
  }

  @Test
  void aRecordGrowsUntilItsRoomIsFull() {
    CatalogEntry full = record(CatalogRoom.MOST);
    CatalogEntry larger = record(CatalogRoom.MOST + 1);

    assertThat(CatalogCodec.size(full)).isEqualTo(CatalogRoom.MOST);
    assertThat(CatalogRoom.refusal(Optional.of(SMALL), full)).isEmpty();
    assertThat(CatalogRoom.refusal(Optional.of(full), larger))
        .contains(
            "it would have 57345 bytes, but the limit is 57344; 1 of its snapshots are neither kept nor"
                + " dropped");
    assertThat(CatalogRoom.refusal(Optional.empty(), larger)).isPresent();
  }

  @Test
  void aRecordThatIsTooLargeIsWrittenIfItBecomesNoLargerOrIsToGo() {
    CatalogEntry large = record(60_000);

    assertThat(CatalogRoom.refusal(Optional.of(large), large)).isEmpty();
    assertThat(CatalogRoom.refusal(Optional.of(large), record(59_999))).isEmpty();
    assertThat(CatalogRoom.refusal(Optional.of(large), record(60_001))).isPresent();
    assertThat(
            CatalogRoom.refusal(
                Optional.of(large),
                record(60_001)
                    .in(new State.Deleting(Optional.of(VolumeId.of("vol-1")), Optional.empty()))))
        .isEmpty();
  }

  @Test
  void aSnapshotBeginsOnlyWhileThereIsRoomForMore() {
    int other = CatalogCodec.size(SMALL.with(cut(40_000))) - 40_000;
    int most = CatalogRoom.MOST_TO_CUT - other;

    assertThat(CatalogRoom.refusal(SMALL, cut(most))).isEmpty();
    assertThat(CatalogRoom.refusal(SMALL, cut(most + 1)))
        .contains(
            "with another snapshot it would have 49153 bytes, but the limit for a new snapshot"
                + " is 49152");
  }
}
