package io.csi4j.volume.store;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of a record: a space, and a name in this space. Keys of a space are ordered by the UTF-16
 * code units of their names. For records of volumes, this is the order of the volumes' keys.
 *
 * @param space the space
 * @param name the name, which is unique in the space
 * @since 1.0
 */
public record RecordKey(Space space, String name) implements Comparable<RecordKey> {

  private static final Comparator<RecordKey> ORDER =
      Comparator.comparing(RecordKey::space).thenComparing(RecordKey::name);

  /**
   * Separates the namespace and the id of a volume. It sorts before all characters that they may
   * contain.
   */
  private static final char BETWEEN = '\u001f';

  /** The kinds of records. */
  public enum Space {
    /** The claims, with one record for each volume. */
    CLAIMS,
    /** The catalog of volumes, with one record for each volume. */
    VOLUMES,
    /** The identity and the settings of the cluster. */
    CLUSTER
  }

  /** Checks that both parts are set. */
  public RecordKey {
    Objects.requireNonNull(space, "space");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("The name of a record is empty.");
    }
  }

  /** Returns the key of a volume's record in a space. */
  public static RecordKey of(Space space, VolumeKey volume) {
    return new RecordKey(space, volume.namespace().value() + BETWEEN + volume.id());
  }

  /**
   * Returns the volume that the record belongs to; empty if the name is not derived from a volume.
   */
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
