package io.csi4j.volume.internal.catalog;

import io.csi4j.volume.catalog.CatalogEntry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume as stored.
 *
 * @param entry the entry that hosts see
 * @param epoch the highest epoch that any work on the volume has had
 * @param work the work that was begun and has not ended, at most one for each part
 * @param created the time at which the record was created; empty if a version without this field
 *     wrote it
 * @param changed the time at which the entry was last changed; empty in the same case
 */
public record CatalogRecord(
    CatalogEntry entry,
    long epoch,
    List<CatalogWork> work,
    Optional<Instant> created,
    Optional<Instant> changed) {

  /** Copies the work. */
  public CatalogRecord {
    Objects.requireNonNull(entry, "entry");
    Objects.requireNonNull(created, "created");
    Objects.requireNonNull(changed, "changed");
    work = List.copyOf(work);
  }

  /** Returns the record of a volume without work. */
  public static CatalogRecord of(CatalogEntry entry) {
    return new CatalogRecord(entry, 0, List.of(), Optional.empty(), Optional.empty());
  }

  /**
   * Returns the record to write.
   *
   * @param before the record that it replaces
   * @param now the current time; the store keeps milliseconds
   */
  public CatalogRecord at(Instant now, Optional<CatalogRecord> before) {
    Optional<Instant> time = Optional.of(now.truncatedTo(ChronoUnit.MILLIS));
    boolean isOther = before.filter(it -> it.entry.equals(entry)).isEmpty();
    return new CatalogRecord(
        entry, epoch, work, before.isPresent() ? created : time, isOther ? time : changed);
  }

  /** Returns the work on a part of the volume. */
  public Optional<CatalogWork> work(String part) {
    return work.stream().filter(each -> each.part().equals(part)).findFirst();
  }

  /** Whether the volume is being adopted and does not count as recorded. */
  public boolean isBeingAdopted() {
    return work(CatalogWork.VOLUME)
        .filter(begun -> begun.kind() == CatalogWork.Kind.ADOPTION)
        .isPresent();
  }

  /** Returns the record with another entry. */
  public CatalogRecord with(CatalogEntry now) {
    return new CatalogRecord(now, epoch, work, created, changed);
  }

  /** Returns the record with this work in place of the work on the same part. */
  public CatalogRecord with(CatalogWork begun) {
    List<CatalogWork> all = new ArrayList<>(without(begun.part()).work);
    all.add(begun);
    return new CatalogRecord(entry, Math.max(epoch, begun.epoch()), all, created, changed);
  }

  /** Returns the record without work on this part. */
  public CatalogRecord without(String part) {
    return new CatalogRecord(
        entry,
        epoch,
        work.stream().filter(each -> !each.part().equals(part)).toList(),
        created,
        changed);
  }
}
