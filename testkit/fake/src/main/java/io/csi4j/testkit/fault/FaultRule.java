package io.csi4j.testkit.fault;

/**
 * A fault that was injected: says how often it acted, and can be taken back.
 *
 * @since 1.0
 */
public interface FaultRule extends AutoCloseable {

  /** Returns the fault. */
  Fault fault();

  /** To which calls. */
  When when();

  /** How many calls it acted on so far. */
  long hits();

  /**
   * Whether it acted on the call of this number in the journal. Of a fault that acts often, the
   * last 10,000 calls are known.
   */
  boolean actedOn(long call);

  /** Takes the fault back; calls that it acts on already go on as it says. */
  @Override
  void close();
}
