package io.csi4j.volume.store.shared;

import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.StoreIdentity;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The memory of a store that several processes share: its identity, and the highest known value of
 * a number that only grows. Once a store has another identity, or has gone back, it is treated so
 * until it is opened again: the other state may have lasted only for a while. A store that was
 * opened with signs of lost records accepts no write until an operator has settled it.
 *
 * @since 1.0
 */
public final class StoreMemory {

  private final String store;
  private final String settling;
  private final Optional<StoreIdentity> configured;
  private final AtomicReference<StoreIdentity> identity;
  private final AtomicLong highest;
  private final AtomicReference<Optional<ReasonText>> doubt =
      new AtomicReference<>(Optional.empty());
  private volatile StoreIdentity opened;
  private volatile long settledAt;
  private volatile Optional<ReasonText> readOnly;

  /**
   * Creates the memory of a store that has just been opened.
   *
   * @param store the product and its number, for display, such as {@code etcd is at revision}
   * @param configured the store that this process must find, if configured
   * @param opened the identity of the store
   * @param settling the operator's command to settle the store, such as {@code call
   *     RedisStore.settle()}
   * @param problem why it may have lost records, if the store shows a sign of that
   * @param reached the current number
   */
  public StoreMemory(
      String store,
      Optional<StoreIdentity> configured,
      StoreIdentity opened,
      String settling,
      Optional<ReasonText> problem,
      long reached) {
    this.store = store;
    this.settling = settling;
    this.configured = configured;
    this.opened = opened;
    this.identity = new AtomicReference<>(opened);
    this.highest = new AtomicLong(reached);
    this.readOnly = against(opened, problem);
  }

  private Optional<ReasonText> against(StoreIdentity answering, Optional<ReasonText> problem) {
    return configured
        .filter(it -> !it.equals(answering))
        .map(
            it ->
                new ReasonText(
                    "it is store '"
                        + answering
                        + "', and this process is configured with '"
                        + it
                        + "'"))
        .or(() -> problem);
  }

  /**
   * Returns the identity of the store that was opened; once another store has answered, the
   * identity of that one.
   */
  public StoreIdentity identity() {
    return identity.get();
  }

  /** Returns the store that accepts writes: the one that was opened, or has been settled since. */
  public StoreIdentity opened() {
    return opened;
  }

  /** Returns why the store may have lost records. */
  public Optional<ReasonText> uncertainty() {
    return doubt.get();
  }

  /** Returns why the store accepts no writes before an operator has settled it. */
  public Optional<ReasonText> readOnly() {
    return readOnly;
  }

  /**
   * Refuses a write to a store that accepts none.
   *
   * @param doing the refused operation
   */
  public void checkWritable(String doing) {
    readOnly.ifPresent(
        why -> {
          throw new RecordStoreException(
              Reason.IN_DOUBT,
              ForeignText.of(doing)
                  + " failed: "
                  + why
                  + ". Compare its claims with what the nodes have mounted, then "
                  + settling
                  + ".");
        });
  }

  /**
   * Refuses to settle a store that was open in this process before the incident: the process may
   * know records that the store has lost.
   */
  public void checkSettling() {
    if (!identity.get().equals(opened) || doubt.get().isPresent()) {
      throw new RecordStoreException(
          Reason.IN_DOUBT,
          "Settling the store failed: "
              + doubt
                  .get()
                  .map(ReasonText::text)
                  .orElse("it is store '" + identity + "' now, but was '" + opened + "'")
              + ". Start this process again, and settle the store then if it accepts no writes.");
    }
  }

  /**
   * Returns whether an answer shows that an operator has settled a store that accepts no writes.
   */
  public boolean isSettledBy(StoreIdentity answering, Optional<ReasonText> problem) {
    return readOnly.isPresent() && against(answering, problem).isEmpty();
  }

  /** Records that an operator has settled the store, at this number. */
  public void settle(StoreIdentity now, long revision) {
    opened = now;
    settledAt = revision;
    identity.set(now);
    reached(revision);
    readOnly = Optional.empty();
  }

  /**
   * Returns the highest number that the store certainly had. A caller reads this before a request
   * to the store.
   */
  public long reached() {
    return highest.get();
  }

  /** Records that the store has reached this number. */
  public void reached(long revision) {
    highest.accumulateAndGet(revision, Math::max);
  }

  /**
   * Processes an answer that includes signs of lost records. The store accepts writes again from
   * the first answer that shows that an operator has settled it, through any process.
   *
   * @param before the number before the request
   * @param answering the identity of the store that answered
   * @param problem why it may have lost records
   * @param revision the number in the answer
   */
  public void saw(
      long before, StoreIdentity answering, Optional<ReasonText> problem, long revision) {
    if (isSettledBy(answering, problem)) {
      settle(answering, revision);
    }
    saw(before, answering, revision);
  }

  /**
   * Processes an answer.
   *
   * @param before the number before the request
   * @param answering the identity of the store that answered
   * @param revision the number in the answer
   */
  public void saw(long before, StoreIdentity answering, long revision) {
    // An answer from before the settling may arrive after it.
    if (!answering.equals(opened) && revision >= settledAt) {
      identity.set(answering);
    }
    if (revision < before) {
      doubt.compareAndSet(
          Optional.empty(),
          Optional.of(
              new ReasonText(
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
