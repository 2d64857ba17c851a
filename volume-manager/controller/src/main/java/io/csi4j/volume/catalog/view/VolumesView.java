package io.csi4j.volume.catalog.view;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The volumes of a catalog at one moment, read without a controller: nothing is written, and no
 * plugin is asked.
 *
 * <pre>{@code
 * for (VolumesView.Volume each : VolumesView.all(store).volumes()) {
 *   log.accept(each.entry().key() + ": " + each.entry().changes());
 * }
 * }</pre>
 *
 * @param volumes the volumes that can be read, in the order of their keys
 * @param unreadable what is wrong with each of the others, in sentences
 * @since 1.0
 */
public record VolumesView(List<Volume> volumes, List<String> unreadable) {

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
   * @param version the version of that
   * @param work the work on it that was begun and has not ended
   */
  public record Volume(CatalogEntry entry, long version, List<Work> work) {

    /** Copies the list. */
    public Volume {
      Objects.requireNonNull(entry, "entry");
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
   * Returns all volumes of a store, also of one that is opened for a look.
   *
   * @throws io.csi4j.volume.store.RecordStoreException if the store cannot answer
   */
  public static VolumesView all(RecordStore store) {
    RecordValues<CatalogRecord> records = new RecordValues<>(store, new CatalogCodec());
    List<Volume> volumes = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    Optional<RecordKey> after = Optional.empty();
    do {
      RecordValues.Page<CatalogRecord> page = records.page(after, PAGE);
      page.records()
          .forEach(
              each -> each.value().ifPresent(value -> volumes.add(volume(value, each.version()))));
      page.unreadable()
          .forEach(each -> unreadable.add(String.valueOf(each.problem().getMessage())));
      after = page.next();
    } while (after.isPresent());
    return new VolumesView(volumes, unreadable);
  }

  /**
   * Returns one volume of a store, if it is on record there.
   *
   * @throws io.csi4j.volume.store.RecordStoreException if the store cannot answer, or the record
   *     cannot be read
   */
  public static Optional<Volume> find(RecordStore store, VolumeKey key) {
    Seen<CatalogRecord> found =
        new RecordValues<>(store, new CatalogCodec()).read(CatalogCodec.key(key));
    return found.value().map(record -> volume(record, found.version()));
  }

  private static Volume volume(CatalogRecord record, long version) {
    return new Volume(
        record.entry(), version, record.work().stream().map(VolumesView::work).toList());
  }

  private static Work work(CatalogWork work) {
    return new Work(work.kind().name(), work.epoch(), work.owner().controlPlane());
  }
}
