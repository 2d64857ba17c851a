package io.csi4j.conformance.store;

/**
 * One guarantee of a store of records, and the way to see whether it is kept.
 *
 * @since 1.0
 */
public interface RecordStoreCheck {

  /** Returns the guarantee, as a sentence without a full stop. */
  String name();

  /**
   * Sees whether it is kept, with an empty store made for it and closed afterwards.
   *
   * @throws AssertionError if not, with a sentence that says what the store did
   */
  void run();
}
