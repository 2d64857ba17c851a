package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The name under which a host keeps the secrets of a volume. They are asked for with each call, and
 * never kept with the volume.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record SecretsReference(String value) {

  /** Rejects text that cannot be a name. */
  public SecretsReference {
    Names.check("reference of secrets", value);
  }

  /** Returns the name with this text. */
  public static SecretsReference of(String value) {
    return new SecretsReference(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
