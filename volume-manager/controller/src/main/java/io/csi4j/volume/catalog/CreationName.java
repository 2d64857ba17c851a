package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.names.Names;

/**
 * The name under which a volume is requested from a storage system. A repeated request with the
 * same name finds the same volume; the name is not the id of the volume.
 *
 * @param value the name
 * @since 1.0
 */
public record CreationName(String value) {

  /** Rejects text that cannot be a name. */
  public CreationName {
    Names.check("name of a volume", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
