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
 * The memory of a store that several processes share: its identity, and how far it was, by a number
 * that only ever grows. A store that is another one, or has gone back, stays so until it is opened
 * again: it may have been the one that it was only in between. A store that was opened while
 * something spoke against it accepts no write until a person has settled it.
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
   * Begins with a store that has just been opened.
   *
   * @param store the product and its number, for people, such as {@code etcd is at revision}
   * @param configured the store that this process has to find, if it was given one
   * @param opened which store it is
   * @param settling what a person does to settle the store, such as {@code call
   *     RedisStore.settle()}
   * @param problem why it may have lost records, if something in it says so
   * @param reached how far it is
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

  /** Returns the identity of the store that was opened; for good that of another that answered. */
  public StoreIdentity identity() {
    return identity.get();
  }

  /** Returns the store that is written to: the one that was opened, or was settled since. */
  public StoreIdentity opened() {
    return opened;
  }

  /** Returns why the store may have lost records. */
  public Optional<ReasonText> uncertainty() {
    return doubt.get();
  }

  /** Returns why nothing may be written to it before a person has settled it. */
  public Optional<ReasonText> readOnly() {
    return readOnly;
  }

  /**
   * Refuses a write to a store that accepts none.
   *
   * @param doing what is refused
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
   * Refuses to settle a store that this process knew before something happened to it: the process
   * may know records that the store has lost.
   */
  public void checkSettling() {
    if (!identity.get().equals(opened) || doubt.get().isPresent()) {
      throw new RecordStoreException(
          Reason.IN_DOUBT,
          "Settling the store failed: "
              + doubt
                  .get()
                  .map(ReasonText::text)
                  .orElse("it is store '" + identity + "' now, and was '" + opened + "'")
              + ". Start this process again, and settle the store then if it accepts no writes.");
    }
  }

  /** Returns whether an answer shows that a person has settled a store that accepts no writes. */
  public boolean isSettledBy(StoreIdentity answering, Optional<ReasonText> problem) {
    return readOnly.isPresent() && against(answering, problem).isEmpty();
  }

  /** Takes in that a person has settled the store, when it was this far. */
  public void settle(StoreIdentity now, long revision) {
    opened = now;
    settledAt = revision;
    identity.set(now);
    reached(revision);
    readOnly = Optional.empty();
  }

  /** Returns how far the store is for certain. A caller reads this before it asks the store. */
  public long reached() {
    return highest.get();
  }

  /** Takes in that the store is this far. */
  public void reached(long revision) {
    highest.accumulateAndGet(revision, Math::max);
  }

  /**
   * Takes in an answer with what in the store speaks against it. The store accepts writes from the
   * answer on that shows that a person has settled it, through whichever process.
   *
   * @param before how far the store was when it was asked
   * @param answering which store it was that answered
   * @param problem why it may have lost records
   * @param revision how far that one is
   */
  public void saw(
      long before, StoreIdentity answering, Optional<ReasonText> problem, long revision) {
    if (isSettledBy(answering, problem)) {
      settle(answering, revision);
    }
    saw(before, answering, revision);
  }

  /**
   * Takes in an answer.
   *
   * @param before how far the store was when it was asked
   * @param answering which store it was that answered
   * @param revision how far that one is
   */
  public void saw(long before, StoreIdentity answering, long revision) {
    // An answer from before the settling may come after it.
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
