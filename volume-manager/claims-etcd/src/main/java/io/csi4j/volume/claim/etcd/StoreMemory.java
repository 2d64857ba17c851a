package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.model.Clause;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The memory of the store: its identity, and how far it was. A store that is another one, or has
 * gone back, stays so until it is opened again: it may have been the one that it was only in
 * between.
 */
final class StoreMemory {

  private final StoreIdentity mark;
  private final StoreIdentity opened;
  private final AtomicReference<StoreIdentity> identity;
  private final AtomicLong highest;
  private final AtomicReference<Optional<Clause>> doubt = new AtomicReference<>(Optional.empty());

  /** Of a store that has just been opened. */
  StoreMemory(StoreIdentity mark, Etcd.Answer first) {
    this.mark = mark;
    this.opened = first.identity();
    this.identity = new AtomicReference<>(opened);
    this.highest = new AtomicLong(first.revision());
  }

  /** The mark that the store had when it was opened. */
  StoreIdentity mark() {
    return mark;
  }

  /** Which store it is; another one for good once another one has answered. */
  StoreIdentity identity() {
    return identity.get();
  }

  /** Why it may have lost claims. */
  Optional<Clause> doubt() {
    return doubt.get();
  }

  /** How far the store is for sure: to be asked before etcd is. */
  long reached() {
    return highest.get();
  }

  /** Takes in that the store is this far. */
  void reached(long revision) {
    highest.accumulateAndGet(revision, Math::max);
  }

  /**
   * Takes in an answer.
   *
   * @param before how far the store was when it was asked
   */
  void saw(long before, Etcd.Answer answer) {
    if (!answer.identity().equals(opened)) {
      identity.set(answer.identity());
    }
    if (answer.revision() < before) {
      doubt.compareAndSet(
          Optional.empty(),
          Optional.of(
              new Clause(
                  "etcd is at revision "
                      + answer.revision()
                      + ", and was at "
                      + before
                      + " before: an older copy of it was restored")));
    }
    reached(answer.revision());
  }
}
