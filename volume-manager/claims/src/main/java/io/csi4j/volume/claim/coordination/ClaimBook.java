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
 * Takes claims and gives them back, by the rules and with a store. A change is tried on the claim
 * that was seen last, and counts only if that is still there; everything else, above all a refusal,
 * is decided after a look. A change that another process has overtaken is decided again; one whose
 * result is not known is looked for, and made again if it was not made. Methods block as long as
 * the store does.
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
   * @param clock the time, for the ages that people see
   */
  public ClaimBook(RecordStore store, Clock clock) {
    this(store, clock, Optional.empty());
  }

  /**
   * A book on a store that was seen before, maybe by another process.
   *
   * @param identity which store it was then: nothing is claimed if it is another one now
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
   * Returns the book for volumes that a catalog knows. Without this it knows claims alone, and
   * grants them for volumes that are nowhere on record.
   *
   * @param whyNot says why a volume cannot be claimed now, such as {@code
   *     VolumeController.whyNotClaimed}. Called before a new claim is written, maybe twice, and
   *     never for one that is there. It may wait for the store of a catalog; the claim waits with
   *     it
   */
  public ClaimBook asking(Function<ClaimRequest, Optional<Refused>> whyNot) {
    return new ClaimBook(records, clock, whyNot);
  }

  /** Returns the claim of a volume. */
  public Claim read(VolumeKey volume) {
    return look(Subject.of("reading the claim of volume '" + volume + "'"), volume, false);
  }

  /** Returns the claim of a volume, unless the store may have lost something. */
  Claim certain(VolumeUse usage) {
    return look(Subject.of("looking at the claim of").by(usage), usage.volume(), true);
  }

  /** Returns the claim of a volume that the caller has not claimed. */
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

  /** Returns the records of claims behind a key. */
  RecordValues.Page<Claim> records(Optional<RecordKey> after, int limit) {
    return asked(READING, () -> records.page(after, limit));
  }

  /**
   * Returns the claim that a record says.
   *
   * @throws RecordStoreException if it cannot be read
   */
  Claim read(StoredRecord record) {
    return records.seen(record).value().orElseThrow();
  }

  /**
   * Returns the claims of volumes that were ever claimed, in the order of their keys: each right
   * for itself. The page also tells of claims that cannot be read. Their volumes may be in use:
   * whoever frees or counts what no claim names has to take them into account.
   *
   * @param after only those behind this volume; nothing, and then {@link ClaimPage#next} of the
   *     page before until it is empty, for all
   * @param limit the number of claims that the caller wants; a store may give fewer, and claims
   *     that cannot be read may come in addition
   */
  public ClaimPage page(Optional<VolumeKey> after, int limit) {
    return ClaimPages.page(after, behind -> records(behind, limit));
  }

  /**
   * Claims a volume, which is not attached for this: only a {@link ClaimCoordinator} knows whether
   * that is needed. The same claim again is granted as it is.
   *
   * @return the claim of the workload
   * @throws ClaimException if it may not, or cannot be known to have it
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
   * Says why a claim would be refused now, and by whose claim; nothing if it would be granted. For
   * a scheduler, or a preflight, that wants to know before; nothing is written, and the answer may
   * be another one a moment later.
   *
   * @throws ClaimException if the claim cannot be read
   */
  public Optional<OperatorMessage> whyNot(ClaimRequest request) {
    Subject subject = Subject.of("asking for the claim of").by(request.usage());
    Claim before = look(subject, request.usage().volume(), true);
    return decide(before, request, request.statedOptions(), false) instanceof Refused refused
        ? Optional.of(Messages.of(refused.code(), subject, refused.because().text()))
        : Optional.empty();
  }

  /** Returns the decision about a wish, by the rules and the catalog. */
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
   * Lets a holder do something else with a volume.
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
   * Writes down how far a claim is on its way back. What it has passed already, and a claim that is
   * not there, change nothing.
   *
   * @return the claim as it is then; nothing if there is none
   * @throws ClaimException {@link OperatorCode#VOLUME_BEING_DELETED} for the hold of a deletion
   */
  public Optional<ClaimHolder> advance(VolumeUse usage, ClaimHolder.State state) {
    return change(
            Subject.of("giving back the claim of").by(usage),
            usage.volume(),
            false,
            before -> ClaimRules.advance(before, usage.workload(), state, now()))
        .holder(usage.workload());
  }

  /**
   * Forgets a claim of which nothing is owed any more. One that is not there is no error.
   *
   * @throws ClaimException {@link OperatorCode#CLAIM_NOT_FREE} if something is owed
   */
  public void forget(VolumeUse usage) {
    change(
        Subject.of("forgetting the claim of").by(usage),
        usage.volume(),
        false,
        before -> ClaimRules.forget(before, usage.workload(), now()));
  }

  /**
   * Holds a volume for its deletion: no process can claim it until {@link #endDeletion}. Refused if
   * there is a claim of it, also one that is being released. Holding it again takes the hold over:
   * from then on only that one can be ended.
   *
   * @return the epoch of the hold
   * @throws ClaimException {@link OperatorCode#VOLUME_CLAIMED} if there is a claim; another code if
   *     the store cannot be asked
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
   * Ends the hold of a deletion. One that is not there is no error, and one that was taken over
   * stays.
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
   * Whether a claim is still what it was when it was granted: to be asked by a node before it
   * stages and before it publishes.
   *
   * @param epoch the epoch of the claim that the node was given
   */
  public boolean isCurrent(VolumeUse usage, long epoch) {
    return standing(usage, epoch) instanceof ClaimStanding.Current;
  }

  /**
   * Returns what a claim is worth by now.
   *
   * @param epoch the epoch of the claim that the node was given
   * @throws ClaimException if that cannot be known
   */
  public ClaimStanding standing(VolumeUse usage, long epoch) {
    Subject subject = Subject.of("confirming the claim of").by(usage);
    return ClaimRules.standing(look(subject, usage.volume(), true), usage, epoch);
  }

  private Instant now() {
    return clock.instant();
  }

  /**
   * The written change.
   *
   * @param before the claim that was decided on
   * @param after the claim as it is then
   * @param changes whether that is another one
   */
  record Change(Claim before, Claim after, boolean changes) {}

  private Claim change(
      Subject subject, VolumeKey volume, boolean acquires, Function<Claim, ClaimDecision> rule) {
    return apply(subject, volume, acquires, rule).after();
  }

  /**
   * Does what a rule says to the claim of a volume. While an unanswered write of it may still
   * arrive, it is uncertain whatever else it fails for.
   *
   * @param acquires whether a workload gets something by it
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

  /** Asks the store, and names the subject in a failure. */
  static <T> T asked(Subject subject, Supplier<T> question) {
    try {
      return question.get();
    } catch (RecordFailure failed) {
      throw new ClaimException(
          failed.outcome(), Messages.of(failed.code(), subject, failed.seen()), failed.getCause());
    }
  }
}
