package io.csi4j.volume.store;

/**
 * The identity of a store: created with the store, and unique.
 *
 * @param value the text of the identity
 * @since 1.0
 */
public record StoreIdentity(String value) {

  /** Refuses an empty text. */
  public StoreIdentity {
    if (value.isEmpty()) {
      throw new IllegalArgumentException("The identity of a store is empty.");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
