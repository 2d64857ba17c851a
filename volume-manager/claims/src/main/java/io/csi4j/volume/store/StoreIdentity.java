package io.csi4j.volume.store;

/**
 * The identity of a store: made with the store, and never the same for two.
 *
 * @param value some text
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
