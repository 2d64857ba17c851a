package io.csi4j.volume.catalog.view;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The volumes of a catalog at one moment, read without a controller: nothing is written, and no
 * plugin is called.
 *
 * <pre>{@code
 * for (VolumesView.Volume each : VolumesView.all(store).volumes()) {
 *   log.accept(each.entry().key() + ": " + each.entry().changes());
 * }
 * }</pre>
 *
 * @param volumes the volumes that can be read, in the order of their keys
 * @param unreadable a message for each unreadable record, in sentences
 * @param hasClaims whether the store also has the claims; without them, it is not known since when
 *     a volume is unused
 * @since 1.0
 */
public record VolumesView(List<Volume> volumes, List<String> unreadable, boolean hasClaims) {

  private static final int PAGE = 256;

  /** Copies the lists. */
  public VolumesView {
    volumes = List.copyOf(volumes);
    unreadable = List.copyOf(unreadable);
  }

  /**
   * A volume.
   *
   * @param entry its record
   * @param written the version and times of the record
   * @param unusedSince the time since which no workload holds the volume, by the claims in the same
   *     store; empty if a workload holds it, or if the time is not known
   * @param work the work on it that was begun and has not ended
   */
  public record Volume(
      CatalogEntry entry,
      VolumeSummary.Written written,
      Optional<Instant> unusedSince,
      List<Work> work) {

    /** Copies the list. */
    public Volume {
      Objects.requireNonNull(entry, "entry");
      Objects.requireNonNull(written, "written");
      Objects.requireNonNull(unusedSince, "unusedSince");
      work = List.copyOf(work);
    }
  }

  /**
   * Work on a volume, or on one of its snapshots, that a control plane has begun. Whether that
   * control plane still runs is not known here.
   *
   * @param kind the kind of the work, such as {@code DELETION}
   * @param epoch the number of this work: higher than that of all work on the volume before
   * @param controlPlane the name of the control plane
   */
  public record Work(String kind, long epoch, String controlPlane) {}

  /**
   * Returns all volumes of a store, which may be open read-only.
   *
   * @throws io.csi4j.volume.store.RecordStoreException if the store cannot be read
   */
  public static VolumesView all(RecordStore store) {
    List<Seen<CatalogRecord>> records = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    read(
        new RecordValues<>(store, new CatalogCodec()),
        page -> {
          records.addAll(page.records());
          page.unreadable()
              .forEach(each -> unreadable.add(String.valueOf(each.problem().getMessage())));
        });
    // The claims are read after the records, so that a volume that is claimed meanwhile is not
    // shown as unused.
    Map<RecordKey, Optional<Claim>> claims = new HashMap<>();
    read(
        new RecordValues<>(store, new ClaimCodec()),
        page -> {
          page.records().forEach(each -> claims.put(each.key(), each.value()));
          page.unreadable().forEach(each -> claims.put(each.key(), Optional.empty()));
        });
    return new VolumesView(
        records.stream().flatMap(each -> volume(each, claims).stream()).toList(),
        unreadable,
        !claims.isEmpty());
  }

  /**
   * Returns a volume of a store, if the store has a record of it.
   *
   * @throws io.csi4j.volume.store.RecordStoreException if the store or the record cannot be read
   */
  public static Optional<Volume> find(RecordStore store, VolumeKey key) {
    Seen<CatalogRecord> found =
        new RecordValues<>(store, new CatalogCodec()).read(CatalogCodec.key(key));
    return volume(found, claims(store, key));
  }

  /** Returns the claim of this volume; an empty map if the store has no claims. */
  private static Map<RecordKey, Optional<Claim>> claims(RecordStore store, VolumeKey volume) {
    RecordValues<Claim> claims = new RecordValues<>(store, new ClaimCodec());
    RecordValues.Page<Claim> first = claims.page(Optional.empty(), 1);
    if (first.records().isEmpty() && first.unreadable().isEmpty()) {
      return Map.of();
    }
    try {
      return Map.of(
          ClaimCodec.key(volume),
          Optional.of(claims.read(ClaimCodec.key(volume)).value().orElse(Claim.none(volume))));
    } catch (RecordStoreException unreadable) {
      return Map.of(ClaimCodec.key(volume), Optional.empty());
    }
  }

  private static <T> void read(RecordValues<T> records, Consumer<RecordValues.Page<T>> reader) {
    Optional<RecordKey> after = Optional.empty();
    do {
      RecordValues.Page<T> page = records.page(after, PAGE);
      reader.accept(page);
      after = page.next();
    } while (after.isPresent());
  }

  private static Optional<Volume> volume(
      Seen<CatalogRecord> seen, Map<RecordKey, Optional<Claim>> claims) {
    return seen.value()
        .filter(record -> !record.isBeingAdopted())
        .map(
            record ->
                new Volume(
                    record.entry(),
                    new VolumeSummary.Written(seen.version(), record.created(), record.changed()),
                    claims.isEmpty() ? Optional.empty() : unusedSince(record, claims),
                    record.work().stream().map(VolumesView::work).toList()));
  }

  /**
   * @param claims the claims in the store; one that cannot be read is empty
   */
  private static Optional<Instant> unusedSince(
      CatalogRecord record, Map<RecordKey, Optional<Claim>> claims) {
    VolumeKey key = record.entry().key();
    return record.entry().volume().isEmpty()
        ? Optional.empty()
        : claims
            .getOrDefault(ClaimCodec.key(key), Optional.of(Claim.none(key)))
            .flatMap(claim -> VolumeSummary.unusedSince(claim, record.created()));
  }

  private static Work work(CatalogWork work) {
    return new Work(work.kind().name(), work.epoch(), work.owner().controlPlane());
  }
}
