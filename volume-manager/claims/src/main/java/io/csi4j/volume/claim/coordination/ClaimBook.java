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
 * Acquires and releases claims, by the rules and with a store. A change is first tried on the last
 * known claim, and counts only if that claim is still in the store; everything else, above all a
 * refusal, is decided after reading the store. If another process made a change first, the rule
 * decides again; if the result of a write is unknown, the book reads the store, and repeats the
 * write if it was not made. Methods block until the store answers.
 *
 * @since 1.0
 */
public final class ClaimBook {

  static final Subject READING = Subject.of("reading the claims");

  private final RecordBook<Claim> records;
  private final Clock clock;
  private final Function<ClaimRequest, Optional<Refused>> volumes;

  /**
   * A book on a store.
   *
   * @param clock the time, for ages in messages
   */
  public ClaimBook(RecordStore store, Clock clock) {
    this(store, clock, Optional.empty());
  }

  /**
   * A book on a store that was used before, maybe by another process.
   *
   * @param identity the identity of that store: no claim is granted if it has another one now
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
   * Returns a book that also asks a catalog of volumes. Without it, the book knows only claims, and
   * grants them for volumes that do not exist.
   *
   * @param whyNot returns why a volume cannot be claimed now, such as {@code
   *     VolumeController.whyNotClaimed}. Called before a new claim is written, maybe twice, and
   *     never for an existing claim. It may wait for the store of a catalog; the claim then waits
   *     with it
   */
  public ClaimBook asking(Function<ClaimRequest, Optional<Refused>> whyNot) {
    return new ClaimBook(records, clock, whyNot);
  }

  /** Returns the claim of a volume. */
  public Claim read(VolumeKey volume) {
    return look(Subject.of("reading the claim of volume '" + volume + "'"), volume, false);
  }

  /** Returns the claim of a volume; fails if the store may have lost records. */
  Claim certain(VolumeUse usage) {
    return look(Subject.of("looking at the claim of").by(usage), usage.volume(), true);
  }

  /**
   * Returns the claim of a volume that the caller has not claimed; fails if the store may have lost
   * records.
   */
  Claim certain(Subject subject, VolumeKey volume) {
    return look(subject, volume, true);
  }

  /**
   * Follows the writes of all claims.
   *
   * @throws RecordFailure if the store cannot answer
   */
  RecordStore.Watch watch() {
    return records.watch();
  }

  /** Returns the records of claims after a key. */
  RecordValues.Page<Claim> records(Optional<RecordKey> after, int limit) {
    return asked(READING, () -> records.page(after, limit));
  }

  /**
   * Returns the claim in a record.
   *
   * @throws RecordStoreException if it cannot be read
   */
  Claim read(StoredRecord record) {
    return records.seen(record).value().orElseThrow();
  }

  /**
   * Returns the claims of all volumes that were ever claimed, in the order of their keys; each is
   * consistent on its own. The page also lists claims that cannot be read. Their volumes may be in
   * use: a caller that frees or counts unclaimed volumes must take them into account.
   *
   * @param after only claims after this volume; empty for the first page, then {@link
   *     ClaimPage#next} of the previous page until that is empty
   * @param limit the number of claims that the caller wants; a store may return fewer, and claims
   *     that cannot be read may be added
   */
  public ClaimPage page(Optional<VolumeKey> after, int limit) {
    return ClaimPages.page(after, behind -> records(behind, limit));
  }

  /**
   * Claims a volume without attaching it: only a {@link ClaimCoordinator} knows whether that is
   * needed. Repeating the same request returns the same claim.
   *
   * @return the claim of the workload
   * @throws ClaimException if the claim is refused, or its result is not known
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
   * Returns why a claim would be refused now, with the claim that prevents it; empty if it would be
   * granted. For a scheduler or a preflight check; nothing is written, and the answer may change at
   * any time.
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

  /** Returns the decision about a request, by the rules and the catalog. */
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
   * @throws ClaimException as for claiming
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
   * Records the progress of a release. A state that the claim has already passed, and a claim that
   * does not exist, change nothing.
   *
   * @return the claim after that; empty if there is none
   * @throws ClaimException {@link OperatorCode#VOLUME_BEING_DELETED} for the hold of a deletion
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
   * Removes a claim without pending work. Succeeds if the claim does not exist.
   *
   * @throws ClaimException {@link OperatorCode#CLAIM_NOT_FREE} if work is pending
   */
  public void forget(VolumeUse usage) {
    change(
        Subject.of("removing the claim of").by(usage),
        usage.volume(),
        false,
        before -> ClaimRules.forget(before, usage.workload(), now()));
  }

  /**
   * Holds a volume for its deletion: no process can claim it until {@link #endDeletion}. Refused if
   * the volume has a claim, even one that is being released. Holding it again replaces the former
   * hold: from then on only the new hold can be ended.
   *
   * @return the epoch of the hold
   * @throws ClaimException {@link OperatorCode#VOLUME_CLAIMED} if there is a claim; another code if
   *     the store cannot answer
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
   * Ends the hold of a deletion. Succeeds if there is no hold; a hold that replaced this one stays.
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
   * Returns whether a claim is unchanged since it was granted; a node asks this before it stages
   * and before it publishes.
   *
   * @param epoch the epoch of the claim that the node received
   */
  public boolean isCurrent(VolumeUse usage, long epoch) {
    return standing(usage, epoch) instanceof ClaimStanding.Current;
  }

  /**
   * Returns the current standing of a claim.
   *
   * @param epoch the epoch of the claim that the node received
   * @throws ClaimException if the standing cannot be determined
   */
  public ClaimStanding standing(VolumeUse usage, long epoch) {
    Subject subject = Subject.of("confirming the claim of").by(usage);
    return ClaimRules.standing(look(subject, usage.volume(), true), usage, epoch);
  }

  private Instant now() {
    return clock.instant();
  }

  /**
   * A change that was written.
   *
   * @param before the claim on which the rule decided
   * @param after the claim after the change
   * @param changes whether it differs from the claim before
   */
  record Change(Claim before, Claim after, boolean changes) {}

  private Claim change(
      Subject subject, VolumeKey volume, boolean acquires, Function<Claim, ClaimDecision> rule) {
    return apply(subject, volume, acquires, rule).after();
  }

  /**
   * Applies a rule to the claim of a volume. While an unanswered write may still arrive, a failure
   * is uncertain, whatever its reason.
   *
   * @param acquires whether the change gives a workload access
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

  /** Asks the store, and adds the subject to a failure. */
  static <T> T asked(Subject subject, Supplier<T> question) {
    try {
      return question.get();
    } catch (RecordFailure failed) {
      throw new ClaimException(
          failed.outcome(), Messages.of(failed.code(), subject, failed.seen()), failed.getCause());
    }
  }
}
