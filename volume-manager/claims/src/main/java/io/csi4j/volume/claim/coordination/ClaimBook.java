package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.MountOptions;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.internal.claims.ClaimChange;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimPages;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Part;
import io.csi4j.volume.internal.store.RecordFailure;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Acquires and releases claims in a store according to the rules. A change is first tried with the
 * last known version of the claim. The store accepts it only if the claim has not changed since.
 * All other decisions, in particular refusals, are made after reading the store. If another process
 * changed the claim first, the rule decides again. If the result of a write is unknown, the book
 * reads the store, and repeats the write if the store does not contain it. Methods block until the
 * store answers.
 *
 * @since 1.0
 */
public final class ClaimBook {

  static final Subject READING = Subject.of("reading the claims");

  private final RecordBook<Claim> records;
  private final Clock clock;
  private final Function<ClaimRequest, Optional<Refused>> volumes;

  /**
   * Creates a book of the claims in a store.
   *
   * @param clock the clock for ages in messages
   */
  public ClaimBook(RecordStore store, Clock clock) {
    this(store, clock, Optional.empty());
  }

  /**
   * Creates a book of the claims in a store that was used before, possibly by another process.
   *
   * @param identity the identity that the store had then. If the store now has another identity, no
   *     claim is granted
   */
  public ClaimBook(RecordStore store, Clock clock, StoreIdentity identity) {
    this(store, clock, Optional.of(identity));
  }

  private ClaimBook(RecordStore store, Clock clock, Optional<StoreIdentity> identity) {
    this(
        new RecordBook<>(store, new ClaimCodec(), identity),
        Objects.requireNonNull(clock, "clock"),
        request -> Optional.empty());
  }

  private ClaimBook(
      RecordBook<Claim> records, Clock clock, Function<ClaimRequest, Optional<Refused>> volumes) {
    this.records = records;
    this.clock = clock;
    this.volumes = Objects.requireNonNull(volumes, "volumes");
  }

  /**
   * Returns a book that also checks the volume in a catalog before it grants a claim. A book
   * without this check grants claims even for volumes that do not exist.
   *
   * @param whyNot returns why a volume cannot be claimed now, such as {@code
   *     VolumeController.whyNotClaimed}. It is called before a new claim is written, possibly
   *     twice, and never for an existing claim. It may block while it reads the catalog, and delays
   *     the claim for that time
   */
  public ClaimBook asking(Function<ClaimRequest, Optional<Refused>> whyNot) {
    return new ClaimBook(records, clock, whyNot);
  }

  /** Returns the claim of a volume. */
  public Claim read(VolumeKey volume) {
    return look(Subject.of("reading the claim of volume '" + volume + "'"), volume, false);
  }

  /** Returns the claim of a volume. Fails if the store may have lost records. */
  Claim certain(VolumeUse usage) {
    return look(Subject.of("looking at the claim of").by(usage), usage.volume(), true);
  }

  /**
   * Returns the claim of a volume for a caller that has no claim itself. Fails if the store may
   * have lost records.
   */
  Claim certain(Subject subject, VolumeKey volume) {
    return look(subject, volume, true);
  }

  /**
   * Returns a watch of the changes of all claims.
   *
   * @throws RecordFailure if the store cannot answer
   */
  RecordStore.Watch watch() {
    return records.watch();
  }

  /** Returns a page of the records of claims that follow a key. */
  RecordValues.Page<Claim> records(Optional<RecordKey> after, int limit) {
    return asked(READING, () -> records.page(after, limit));
  }

  /**
   * Returns the claim in a record.
   *
   * @throws RecordStoreException if the record cannot be read
   */
  Claim read(StoredRecord record) {
    return records.seen(record).value().orElseThrow();
  }

  /**
   * Returns a page of the claims of all volumes that were ever claimed, in the order of their keys.
   * Each claim is consistent, but the page is not a snapshot of the store. The page also lists
   * claims that cannot be read. Their volumes may be in use, so a caller that frees or counts
   * unclaimed volumes must not treat these volumes as unclaimed.
   *
   * @param after the volume after which the page begins: empty for the first page, then {@link
   *     ClaimPage#next} of the previous page
   * @param limit the requested number of claims; the store may return fewer claims, and claims that
   *     cannot be read may be added
   */
  public ClaimPage page(Optional<VolumeKey> after, int limit) {
    return ClaimPages.page(after, behind -> records(behind, limit));
  }

  /**
   * Claims a volume without attaching it. Use a {@link ClaimCoordinator} for volumes that may need
   * to be attached. Repeating the same request returns the same claim.
   *
   * @return the workload as a holder of the volume
   * @throws ClaimException if the claim is refused, or if it is unknown whether the claim was
   *     written
   */
  public ClaimHolder claim(ClaimRequest request) {
    Subject subject = Subject.of("claiming").by(request.usage());
    Claim claim =
        change(
            subject,
            request.usage().volume(),
            true,
            before -> decide(before, request, request.statedOptions(), false));
    return claim.holder(request.usage().workload()).orElseThrow();
  }

  /**
   * Returns why a claim would be refused now, and which existing claim prevents it; empty if the
   * claim would be granted. Use this for a scheduler or a preflight check. Nothing is written, and
   * the answer may change at any time.
   *
   * @throws ClaimException if the claim cannot be read
   */
  public Optional<OperatorMessage> whyNot(ClaimRequest request) {
    Subject subject = Subject.of("checking the claim of").by(request.usage());
    Claim before = look(subject, request.usage().volume(), true);
    return decide(before, request, request.statedOptions(), false) instanceof Refused refused
        ? Optional.of(Messages.of(refused.code(), subject, refused.because().text()))
        : Optional.empty();
  }

  /** Returns the decision of the rules and the catalog about a request. */
  ClaimDecision decide(
      Claim before, ClaimRequest request, Optional<MountOptions> options, boolean attaches) {
    ClaimDecision decision = ClaimRules.claim(before, request, options, attaches, now());
    if (decision instanceof Granted && before.holder(request.usage().workload()).isEmpty()) {
      Optional<Refused> refused = volumes.apply(request);
      if (refused.isPresent()) {
        return refused.get();
      }
    }
    return decision;
  }

  /**
   * Changes the mode of a holder.
   *
   * @throws ClaimException if the change is refused, or if it is unknown whether the change was
   *     written
   */
  public ClaimHolder change(VolumeUse usage, ClaimMode mode) {
    Claim claim =
        change(
            Subject.of("changing the claim of").by(usage),
            usage.volume(),
            mode == ClaimMode.WRITE,
            before -> ClaimRules.change(before, usage.workload(), mode, now()));
    return claim.holder(usage.workload()).orElseThrow();
  }

  /**
   * Records the progress of a release. Does nothing if the claim has already reached a later state,
   * or does not exist.
   *
   * @return the workload as a holder after the change; empty if it has no claim
   * @throws ClaimException {@link OperatorCode#VOLUME_BEING_DELETED} if the workload is the
   *     placeholder that holds a volume for its deletion
   */
  public Optional<ClaimHolder> advance(VolumeUse usage, ClaimHolder.State state) {
    return change(
            Subject.of("releasing the claim of").by(usage),
            usage.volume(),
            false,
            before -> ClaimRules.advance(before, usage.workload(), state, now()))
        .holder(usage.workload());
  }

  /**
   * Removes a claim that has no pending work. Succeeds if the claim does not exist.
   *
   * @throws ClaimException {@link OperatorCode#CLAIM_NOT_FREE} if work is pending for the claim
   */
  public void forget(VolumeUse usage) {
    change(
        Subject.of("removing the claim of").by(usage),
        usage.volume(),
        false,
        before -> ClaimRules.forget(before, usage.workload(), now()));
  }

  /**
   * Holds a volume for its deletion. No process can claim the volume until {@link #endDeletion} is
   * called. The hold is refused if the volume has a claim, even if that claim is being released. A
   * second hold replaces the first hold; afterwards, only the second hold can be ended.
   *
   * @return the epoch of the hold
   * @throws ClaimException {@link OperatorCode#VOLUME_CLAIMED} if the volume has a claim; another
   *     code if the store cannot answer
   */
  public long holdForDeletion(VolumeKey volume) {
    return change(
            Subject.of("deleting volume '" + volume + "'"),
            volume,
            true,
            before -> ClaimRules.holdForDeletion(before, now()))
        .epoch();
  }

  /**
   * Ends the hold of a volume for its deletion. Succeeds if the hold does not exist. A newer hold
   * that has replaced it is not ended.
   *
   * @param epoch the epoch of the hold
   */
  public void endDeletion(VolumeKey volume, long epoch) {
    change(
        Subject.of("ending the deletion of volume '" + volume + "'"),
        volume,
        false,
        before -> ClaimRules.endDeletion(before, epoch));
  }

  /**
   * Whether a claim is still valid as it was granted. A node must check this before it stages a
   * volume and before it publishes it.
   *
   * @param epoch the epoch of the claim as granted to the node
   */
  public boolean isCurrent(VolumeUse usage, long epoch) {
    return standing(usage, epoch) instanceof ClaimStanding.Current;
  }

  /**
   * Returns whether a claim is still valid for its node, and if not, why.
   *
   * @param epoch the epoch of the claim as granted to the node
   * @throws ClaimException if the store cannot answer
   */
  public ClaimStanding standing(VolumeUse usage, long epoch) {
    Subject subject = Subject.of("confirming the claim of").by(usage);
    return ClaimRules.standing(look(subject, usage.volume(), true), usage, epoch);
  }

  private Instant now() {
    return clock.instant();
  }

  /**
   * The result of a change of a claim.
   *
   * @param before the claim before the change, to which the rule was applied
   * @param after the claim after the change
   * @param changes whether the claim after the change differs from the claim before
   */
  record Change(Claim before, Claim after, boolean changes) {}

  private Claim change(
      Subject subject, VolumeKey volume, boolean acquires, Function<Claim, ClaimDecision> rule) {
    return apply(subject, volume, acquires, rule).after();
  }

  /**
   * Applies a rule to the claim of a volume. If an earlier write has not been answered and could
   * still reach the store, every failure has an uncertain outcome.
   *
   * @param acquires whether the change gives a workload access to the volume
   */
  Change apply(
      Subject subject, VolumeKey volume, boolean acquires, Function<Claim, ClaimDecision> rule) {
    Claim none = Claim.none(volume);
    return asked(
        subject,
        () -> {
          Part<Claim> part = ClaimChange.of(records, volume, acquires, rule);
          RecordBook.apply(List.of(part));
          return new Change(
              part.change().before().value().orElse(none),
              part.change().after().value().orElse(none),
              part.change().changes());
        });
  }

  private Claim look(Subject subject, VolumeKey volume, boolean acquires) {
    return asked(
        subject,
        () ->
            records
                .look(ClaimCodec.key(volume), acquires)
                .value()
                .orElseGet(() -> Claim.none(volume)));
  }

  /** Runs a request to the store. If it fails, adds the subject to the failure. */
  static <T> T asked(Subject subject, Supplier<T> question) {
    try {
      return question.get();
    } catch (RecordFailure failed) {
      throw new ClaimException(
          failed.outcome(), Messages.of(failed.code(), subject, failed.seen()), failed.getCause());
    }
  }
}
