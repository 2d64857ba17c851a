package io.csi4j.volume.store;

/**
 * The unique identity of a store, which is created together with the store.
 *
 * @param value the text of the identity
 * @since 1.0
 */
public record StoreIdentity(String value) {

  /** Rejects an empty text. */
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
