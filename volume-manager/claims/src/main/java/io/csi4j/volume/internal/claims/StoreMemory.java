package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.model.Clause;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The memory of a store that several processes share: its identity, and how far it was, by a number
 * that only ever grows. A store that is another one, or has gone back, stays so until it is opened
 * again: it may have been the one that it was only in between.
 */
public final class StoreMemory {

  private final String store;
  private final StoreIdentity opened;
  private final AtomicReference<StoreIdentity> identity;
  private final AtomicLong highest;
  private final AtomicReference<Optional<Clause>> doubt = new AtomicReference<>(Optional.empty());

  /**
   * Of a store that has just been opened.
   *
   * @param store the product and its number, for people, such as {@code etcd is at revision}
   * @param opened which store it is
   * @param reached how far it is
   */
  public StoreMemory(String store, StoreIdentity opened, long reached) {
    this.store = store;
    this.opened = opened;
    this.identity = new AtomicReference<>(opened);
    this.highest = new AtomicLong(reached);
  }

  /** Which store it is; another one for good once another one has answered. */
  public StoreIdentity identity() {
    return identity.get();
  }

  /** Why it may have lost claims. */
  public Optional<Clause> doubt() {
    return doubt.get();
  }

  /** How far the store is for sure: to be asked before the store is. */
  public long reached() {
    return highest.get();
  }

  /** Takes in that the store is this far. */
  public void reached(long revision) {
    highest.accumulateAndGet(revision, Math::max);
  }

  /**
   * Takes in an answer.
   *
   * @param before how far the store was when it was asked
   * @param answering which store it was that answered
   * @param revision how far that one is
   */
  public void saw(long before, StoreIdentity answering, long revision) {
    if (!answering.equals(opened)) {
      identity.set(answering);
    }
    if (revision < before) {
      doubt.compareAndSet(
          Optional.empty(),
          Optional.of(
              new Clause(
                  store
                      + " "
                      + revision
                      + ", and was at "
                      + before
                      + " before: an older copy of it was restored")));
    }
    reached(revision);
  }
}
