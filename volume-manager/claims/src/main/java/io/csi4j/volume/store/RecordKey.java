package io.csi4j.volume.store;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of a record: a space, and a name in it. Keys of one space are sorted by their names as
 * UTF-16, and so in the order of the volumes that they name.
 *
 * @param space the space
 * @param name the name, unique in its space
 * @since 1.0
 */
public record RecordKey(Space space, String name) implements Comparable<RecordKey> {

  private static final Comparator<RecordKey> ORDER =
      Comparator.comparing(RecordKey::space).thenComparing(RecordKey::name);

  /** Sorts before all characters that the parts of a volume's key may have. */
  private static final char BETWEEN = '\u001f';

  /** The kinds of records. */
  public enum Space {
    /** The claims, one record for each volume. */
    CLAIMS,
    /** The catalog, one record for each volume. */
    VOLUMES,
    /** The identity of the cluster, and its settings. */
    CLUSTER
  }

  /** Checks that both parts are there. */
  public RecordKey {
    Objects.requireNonNull(space, "space");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("The name of a record is empty.");
    }
  }

  /** Returns the key of the record of a volume. */
  public static RecordKey of(Space space, VolumeKey volume) {
    return new RecordKey(space, volume.namespace().value() + BETWEEN + volume.id());
  }

  /** Returns the volume that the name stands for; empty if it is not the name of a volume. */
  public Optional<VolumeKey> volume() {
    int between = name.indexOf(BETWEEN);
    if (between < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          VolumeKey.of(Namespace.of(name.substring(0, between)), name.substring(between + 1)));
    } catch (IllegalArgumentException none) {
      return Optional.empty();
    }
  }

  @Override
  public int compareTo(RecordKey other) {
    return ORDER.compare(this, other);
  }

  /** Returns the key for display, such as {@code CLAIMS/default/db-1}. */
  @Override
  public String toString() {
    return space + "/" + name.replace(BETWEEN, '/');
  }
}
