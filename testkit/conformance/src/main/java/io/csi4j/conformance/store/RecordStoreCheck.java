package io.csi4j.conformance.store;

/**
 * A guarantee of a record store, and the check whether the store keeps it.
 *
 * @since 1.0
 */
public interface RecordStoreCheck {

  /** Returns the guarantee, as a sentence without a full stop. */
  String name();

  /**
   * Checks the guarantee on an empty store, which is created for the check and closed afterwards.
   *
   * @throws AssertionError if the store does not keep it; the message says what the store did
   */
  void run();
}
