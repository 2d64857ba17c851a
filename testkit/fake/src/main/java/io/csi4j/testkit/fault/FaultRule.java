package io.csi4j.testkit.fault;

/**
 * A fault that was injected: counts the calls on which it acted, and can be removed.
 *
 * @since 1.0
 */
public interface FaultRule extends AutoCloseable {

  /** Returns the fault. */
  Fault fault();

  /** Returns the calls to which the fault applies. */
  When when();

  /** Returns the number of calls on which the fault has acted so far. */
  long hits();

  /**
   * Returns whether the fault acted on the call with this number in the journal. Only the last
   * 10,000 calls of a fault are remembered.
   */
  boolean actedOn(long call);

  /** Removes the fault; calls on which it acts already continue with its steps. */
  @Override
  void close();
}
