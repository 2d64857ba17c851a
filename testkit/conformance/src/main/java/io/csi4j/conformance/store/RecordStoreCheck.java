package io.csi4j.conformance.store;

/**
 * A guarantee of record stores, with a check that tests whether a store keeps the guarantee.
 *
 * @since 1.0
 */
public interface RecordStoreCheck {

  /** Returns the guarantee, as a sentence without a final period. */
  String name();

  /**
   * Checks the guarantee on an empty store. The store is created for this check, and closed
   * afterwards.
   *
   * @throws AssertionError if the store does not keep the guarantee; the message describes the
   *     store's behaviour
   */
  void run();
}
