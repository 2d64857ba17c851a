package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Serves a listing page by page, in the order of the ids. If an object is added or removed between
 * two pages, no other object is repeated or skipped.
 */
final class ListingPages {

  private static final int MOST_TOKENS = 10_000;

  private final BackendParts ground;
  private final AtomicLong given = new AtomicLong();

  /** The issued page tokens that have not expired. The oldest tokens expire first. */
  private final Map<String, Given> pages =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Given> eldest) {
              return size() > MOST_TOKENS;
            }
          });

  ListingPages(BackendParts ground) {
    this.ground = ground;
  }

  /** A page of entries, and the token of the next page. On the last page, the token is empty. */
  record Page<T>(List<T> entries, String next) {}

  <T> Page<T> page(
      String listing, NavigableMap<String, T> all, String token, int most, Predicate<T> wanted)
      throws Refusal {
    NavigableMap<String, T> rest =
        token.isEmpty() ? all : all.tailMap(after(listing, token), false);
    List<T> entries = new ArrayList<>();
    String last = "";
    for (var entry : rest.entrySet()) {
      if (wanted.test(entry.getValue())) {
        if (most > 0 && entries.size() == most) {
          return new Page<>(entries, token(listing, last));
        }
        entries.add(entry.getValue());
        last = entry.getKey();
      }
    }
    return new Page<>(entries, "");
  }

  ListVolumesResponse volumes(Call call, ListVolumesRequest request) throws Refusal {
    State state = ground.now();
    Page<State.StoredVolume> page =
        page(
            "volumes",
            new TreeMap<>(state.volumes()),
            request.getStartingToken(),
            request.getMaxEntries(),
            volume -> true);
    ListVolumesResponse.Builder answer = ListVolumesResponse.newBuilder().setNextToken(page.next());
    for (State.StoredVolume volume : page.entries()) {
      answer.addEntries(entry(call.shape(), state, volume.volume()));
    }
    return answer.build();
  }

  private ListVolumesResponse.Entry entry(PluginShape shape, State state, Volume volume) {
    ListVolumesResponse.Entry.Builder entry =
        ListVolumesResponse.Entry.newBuilder().setVolume(VolumeService.told(shape, volume));
    if (shape.offers(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES)) {
      entry.getStatusBuilder().addAllPublishedNodeIds(state.attachedTo(volume.getVolumeId()));
    }
    if (shape.offers(ControllerCapability.VOLUME_CONDITION)) {
      entry.getStatusBuilder().setVolumeCondition(ground.health().condition(volume.getVolumeId()));
    }
    return entry.build();
  }

  ControllerGetVolumeResponse volume(Call call, ControllerGetVolumeRequest request) throws Refusal {
    Volume volume = ground.volume("volume_id", request.getVolumeId()).volume();
    ListVolumesResponse.Entry entry = entry(call.shape(), ground.now(), volume);
    ControllerGetVolumeResponse.VolumeStatus.Builder status =
        ControllerGetVolumeResponse.VolumeStatus.newBuilder()
            .addAllPublishedNodeIds(entry.getStatus().getPublishedNodeIdsList());
    if (entry.getStatus().hasVolumeCondition()) {
      status.setVolumeCondition(entry.getStatus().getVolumeCondition());
    }
    return ControllerGetVolumeResponse.newBuilder()
        .setVolume(entry.getVolume())
        .setStatus(status)
        .build();
  }

  ListSnapshotsResponse snapshots(Call call, ListSnapshotsRequest request) throws Refusal {
    String volume = request.getSourceVolumeId();
    String id = request.getSnapshotId();
    Page<StoredSnapshot> page =
        page(
            "snapshots of '" + volume + "' '" + id + "'",
            new TreeMap<>(ground.now().snapshots()),
            request.getStartingToken(),
            request.getMaxEntries(),
            stored -> wanted(stored.snapshot(), volume, id));
    ListSnapshotsResponse.Builder answer =
        ListSnapshotsResponse.newBuilder().setNextToken(page.next());
    for (StoredSnapshot stored : page.entries()) {
      answer
          .addEntriesBuilder()
          .setSnapshot(SnapshotService.told(ground, call.shape(), stored.snapshot()));
    }
    return answer.build();
  }

  private static boolean wanted(Snapshot snapshot, String volume, String id) {
    return (volume.isEmpty() || snapshot.getSourceVolumeId().equals(volume))
        && (id.isEmpty() || snapshot.getSnapshotId().equals(id));
  }

  void expireTokens() {
    pages.clear();
  }

  /** The listing to which a page token belongs, and the id after which its page begins. */
  private record Given(String listing, String last) {}

  /** Returns a new token for the entries after {@code last}. */
  private String token(String listing, String last) {
    // Consecutive tokens are not in order, so that no caller can rely on their order.
    String token = Long.toHexString(given.incrementAndGet() * 0x9E3779B97F4A7C15L | 1L << 63);
    pages.put(token, new Given(listing, last));
    return token;
  }

  private String after(String listing, String token) throws Refusal {
    Given page = pages.get(token);
    if (page == null || !page.listing().equals(listing)) {
      throw Refusal.of(
          StatusCode.ABORTED,
          "starting_token %s is not valid (any more). Begin again without a token.",
          token);
    }
    return page.last();
  }
}
