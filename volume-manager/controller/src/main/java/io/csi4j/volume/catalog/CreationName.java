package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.names.Names;

/**
 * The name under which a storage system is asked for a volume. The same name again finds the same
 * volume; it is no id.
 *
 * @param value the name
 * @since 1.0
 */
public record CreationName(String value) {

  /** Refuses what cannot be a name. */
  public CreationName {
    Names.check("name of a volume", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
