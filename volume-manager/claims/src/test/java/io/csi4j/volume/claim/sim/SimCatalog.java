package io.csi4j.volume.claim.sim;

import io.csi4j.volume.model.VolumeKey;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The records of volumes, which outlive every process. One process at a time has them: the next one
 * when it is killed.
 */
final class SimCatalog {

  /** How far a volume is on its way out. */
  enum Standing {
    THERE,
    /** On record as going for whoever comes next, and still there for all who ask now. */
    INTENDED,
    GOING
  }

  /** A record; of which volume of that name. */
  record Entry(long id, Standing standing) {}

  private final Map<VolumeKey, Entry> entries = new TreeMap<>();
  private int owner;
  private long made;

  Optional<Entry> find(VolumeKey volume) {
    return Optional.ofNullable(entries.get(volume));
  }

  /** Whether a volume may be claimed, as far as it is on record. */
  boolean isThere(VolumeKey volume) {
    return find(volume).filter(it -> it.standing() != Standing.GOING).isPresent();
  }

  boolean hasDeletions() {
    return entries.values().stream().anyMatch(it -> it.standing() != Standing.THERE);
  }

  Entry put(VolumeKey volume, long id, Standing standing) {
    Entry entry = new Entry(id, standing);
    entries.put(volume, entry);
    return entry;
  }

  long newId() {
    return ++made;
  }

  void forget(VolumeKey volume) {
    entries.remove(volume);
  }

  boolean isOf(int process) {
    return owner == process;
  }

  /** Goes to a process that begins, with what is on record. */
  void opens(int process) {
    owner = process;
    entries.replaceAll(
        (volume, it) ->
            it.standing() == Standing.INTENDED ? new Entry(it.id(), Standing.GOING) : it);
  }
}
