package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The host's name for the secrets of a volume. The secrets are requested for each call, and never
 * stored with the volume.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record SecretsReference(String value) {

  /** Rejects a value that is not a valid name. */
  public SecretsReference {
    Names.check("reference of secrets", value);
  }

  /** Returns the reference with this text. */
  public static SecretsReference of(String value) {
    return new SecretsReference(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
