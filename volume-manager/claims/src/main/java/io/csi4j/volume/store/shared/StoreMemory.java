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
 * The knowledge of this process about a store that several processes share: the identity of the
 * store, and its highest known version. If another store answers, or the version of the store
 * decreases, the store remains uncertain until it is opened again, even if later answers look
 * normal. A store that was opened with signs of lost records accepts no writes until an operator
 * has settled it.
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
   * Creates an object for a store that has just been opened.
   *
   * @param store the beginning of a clause that ends with a version, for display, such as {@code
   *     etcd is at revision}
   * @param configured the identity that the store must have, if the host has configured it
   * @param opened the identity of the store
   * @param settling the step with which an operator settles the store, for display, such as {@code
   *     call RedisStore.settle()}
   * @param problem why the store may have lost records; empty if it shows no sign of that
   * @param reached the current version of the store
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
   * Returns the identity of the store that was opened. If another store has answered since then,
   * returns the identity of that store.
   */
  public StoreIdentity identity() {
    return identity.get();
  }

  /**
   * Returns the identity of the store that was opened, or of the store that an operator has settled
   * since then.
   */
  public StoreIdentity opened() {
    return opened;
  }

  /**
   * Returns why the store may have lost records since it was opened; empty if it shows no sign of
   * that.
   */
  public Optional<ReasonText> uncertainty() {
    return doubt.get();
  }

  /**
   * Returns why the store accepts no writes until an operator has settled it; empty if it accepts
   * writes.
   */
  public Optional<ReasonText> readOnly() {
    return readOnly;
  }

  /**
   * Throws an exception if the store accepts no writes.
   *
   * @param doing the operation that needs to write, for the message
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
   * Throws an exception if the store has lost records or was replaced while this process had it
   * open. This process must then not settle the store, because it may still remember lost records.
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
   * Whether the store accepted no writes before, and an answer now shows that an operator has
   * settled it.
   */
  public boolean isSettledBy(StoreIdentity answering, Optional<ReasonText> problem) {
    return readOnly.isPresent() && against(answering, problem).isEmpty();
  }

  /** Records that an operator has settled the store at this version. */
  public void settle(StoreIdentity now, long revision) {
    opened = now;
    settledAt = revision;
    identity.set(now);
    reached(revision);
    readOnly = Optional.empty();
  }

  /**
   * Returns the highest version that the store certainly has reached. Callers read it before a
   * request, and compare it with the version in the answer.
   */
  public long reached() {
    return highest.get();
  }

  /** Records that the store has reached this version. */
  public void reached(long revision) {
    highest.accumulateAndGet(revision, Math::max);
  }

  /**
   * Processes an answer that shows whether the store may have lost records. A store that accepts no
   * writes accepts them again after the first answer that shows that an operator has settled it, in
   * this or any other process.
   *
   * @param before the value of {@link #reached()} before the request
   * @param answering the identity of the store that answered
   * @param problem why the store may have lost records; empty if it shows no sign of that
   * @param revision the version in the answer
   */
  public void saw(
      long before, StoreIdentity answering, Optional<ReasonText> problem, long revision) {
    if (isSettledBy(answering, problem)) {
      settle(answering, revision);
    }
    saw(before, answering, revision);
  }

  /**
   * Processes an answer of the store.
   *
   * @param before the value of {@link #reached()} before the request
   * @param answering the identity of the store that answered
   * @param revision the version in the answer
   */
  public void saw(long before, StoreIdentity answering, long revision) {
    // An answer that was sent before the store was settled may arrive later, and must not count.
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
