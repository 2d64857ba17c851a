package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The owner of volumes, such as a tenant or a project. Volumes of two namespaces may have the same
 * id.
 *
 * @param value the name; not empty, without control characters
 * @since 1.0
 */
public record Namespace(String value) implements Comparable<Namespace> {

  /** The namespace for hosts that do not use namespaces. */
  public static final Namespace DEFAULT = new Namespace("default");

  /** Rejects a value that is not a valid name. */
  public Namespace {
    Names.check("namespace", value);
  }

  /** Returns the namespace with this name. */
  public static Namespace of(String value) {
    return new Namespace(value);
  }

  @Override
  public int compareTo(Namespace other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
