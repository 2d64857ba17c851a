package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;
import java.util.Objects;

/**
 * The host's name for a volume. Several keys may refer to the same volume of a plugin.
 *
 * @param namespace the owner of the volume
 * @param id the name within the namespace
 * @since 1.0
 */
public record VolumeKey(Namespace namespace, String id) implements Comparable<VolumeKey> {

  /** Rejects an id that is not a valid name. */
  public VolumeKey {
    Objects.requireNonNull(namespace, "namespace");
    Names.check("volume id", id);
  }

  /** Returns the key with this name in a namespace. */
  public static VolumeKey of(Namespace namespace, String id) {
    return new VolumeKey(namespace, id);
  }

  /** Returns the key with this name in the default namespace. */
  public static VolumeKey of(String id) {
    return new VolumeKey(Namespace.DEFAULT, id);
  }

  @Override
  public int compareTo(VolumeKey other) {
    int byNamespace = namespace.compareTo(other.namespace);
    return byNamespace != 0 ? byNamespace : id.compareTo(other.id);
  }

  /** Returns the namespace and the id, such as {@code default/db-1}. */
  @Override
  public String toString() {
    return namespace + "/" + id;
  }
}
