package io.csi4j.testkit.fault;

/**
 * An injected fault. It counts the calls on which it acted, and it can be removed.
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
   * Returns whether the fault acted on the call with this number in the journal. A rule remembers
   * only the last 10,000 calls on which it acted.
   */
  boolean actedOn(long call);

  /** Removes the fault. Calls that are already executing its steps continue with them. */
  @Override
  void close();
}
