package io.csi4j.volume.claim.coordination;

import dev.failsafe.Execution;
import dev.failsafe.RetryPolicy;
import io.csi4j.client.model.MountOptions;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes claims and gives them back, by the rules and with a store. A change is tried on the claim
 * that was seen last, and counts only if that is still the very same; all else, a refusal above
 * all, is decided after a look. A change that another one has overtaken is decided again; one whose
 * end is not known is looked for, and made again if it did not get through. Methods block as long
 * as the store does.
 *
 * @since 1.0
 */
public final class ClaimBook {

  /** More than any honest contention needs: each lost turn means that another one has won. */
  private static final int TURNS = 1_000;

  private static final int DOUBTS = 8;

  private static final RetryPolicy<WriteResult> OVERTAKEN =
      RetryPolicy.<WriteResult>builder()
          .handleResultIf(WriteResult.Conflict.class::isInstance)
          .withMaxAttempts(TURNS)
          .build();

  private static final RetryPolicy<WriteResult> UNKNOWN =
      RetryPolicy.<WriteResult>builder()
          .handleResultIf(WriteResult.Unknown.class::isInstance)
          .withMaxAttempts(DOUBTS)
          .build();

  /** The number of claims that are kept; beyond that it begins again. */
  private static final int MOST = 4096;

  private final ClaimStore store;
  private final Clock clock;

  /** The store that was seen first; nothing while that one takes no writes. */
  private final AtomicReference<Optional<StoreIdentity>> identity;

  private final Function<ClaimRequest, Optional<Refused>> volumes;

  /** How far each claim was seen to be. */
  private final ConcurrentMap<VolumeKey, ClaimVersion> versions = new ConcurrentHashMap<>();

  /** The newest claims that were seen, as far as they are kept. */
  private final ConcurrentMap<VolumeKey, Versioned> claims = new ConcurrentHashMap<>();

  /**
   * A book on a store.
   *
   * @param clock the time, for the ages that people are told
   */
  public ClaimBook(ClaimStore store, Clock clock) {
    this(
        store,
        clock,
        new AtomicReference<>(
            store.readOnly().isPresent() ? Optional.empty() : Optional.of(store.identity())),
        request -> Optional.empty());
  }

  /**
   * A book on a store that was seen before, maybe by another process.
   *
   * @param identity which store it was then: nothing is claimed if it is another one now
   */
  public ClaimBook(ClaimStore store, Clock clock, StoreIdentity identity) {
    this(store, clock, new AtomicReference<>(Optional.of(identity)), request -> Optional.empty());
  }

  private ClaimBook(
      ClaimStore store,
      Clock clock,
      AtomicReference<Optional<StoreIdentity>> identity,
      Function<ClaimRequest, Optional<Refused>> volumes) {
    this.store = Objects.requireNonNull(store, "store");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.identity = identity;
    this.volumes = Objects.requireNonNull(volumes, "volumes");
  }

  /**
   * Returns the book for volumes that a catalog knows. Without this it knows claims alone, and
   * grants them for volumes that are nowhere on record.
   *
   * @param whyNot says why a volume cannot be claimed now, such as {@code
   *     VolumeController.whyNotClaimed}. Asked before a new claim is written, maybe twice, and
   *     never for one that is there; must not block
   */
  public ClaimBook asking(Function<ClaimRequest, Optional<Refused>> whyNot) {
    return new ClaimBook(store, clock, identity, whyNot);
  }

  /** Returns the claim of a volume. */
  public Claim read(VolumeKey volume) {
    return look(Subject.of("reading the claim of volume '" + volume + "'"), volume, false).claim();
  }

  /** Returns the claim of a volume, unless the store may have lost something. */
  Claim certain(VolumeUse usage) {
    return look(Subject.of("looking at the claim of").by(usage), usage.volume(), true).claim();
  }

  /** Returns the claim of a volume that the caller has not claimed. */
  Claim certain(Subject subject, VolumeKey volume) {
    return look(subject, volume, true).claim();
  }

  /**
   * Returns the claims of volumes that were ever claimed, in the order of their keys: each right
   * for itself. The page also tells of claims that cannot be read. Their volumes may be in use:
   * whoever frees or counts what no claim names has to take them into account.
   *
   * @param after only those behind this key; nothing, and then {@link ClaimPage#next} of the page
   *     before until it is empty, for all
   * @param limit how many claims at most; a store may give fewer
   */
  public ClaimPage page(Optional<VolumeKey> after, int limit) {
    return asked(Subject.of("reading the claims"), () -> store.scan(after, limit));
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
    Claim before = look(subject, request.usage().volume(), true).claim();
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
  public Optional<ClaimHolder> advance(VolumeUse usage, ClaimState state) {
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
    return ClaimRules.standing(look(subject, usage.volume(), true).claim(), usage, epoch);
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

  /** A write that the store has, or may still get, before the change is known to be made. */
  private static final class OpenWrite {
    private @Nullable ClaimVersion expected;
    private String because = "";

    void unanswered(Versioned before, WriteResult.Unknown unknown) {
      expected = before.version();
      because = unknown.because() + ", and the write may still arrive";
    }

    void written(Versioned before) {
      expected = before.version();
      because = "the claim was written";
    }

    /** Once another version than the expected one is there, an unanswered write never arrives. */
    void saw(Versioned now) {
      if (!now.version().equals(expected)) {
        expected = null;
      }
    }

    boolean mayCount() {
      return expected != null;
    }
  }

  /**
   * Applies a rule to the claim of a volume. A failure is uncertain, whatever its reason, if the
   * store has a write of the change or may still get one: a store can turn out to be another one
   * after it has written.
   *
   * @param acquires whether a workload gets something by it
   */
  Change apply(
      Subject subject, VolumeKey volume, boolean acquires, Function<Claim, ClaimDecision> rule) {
    OpenWrite open = new OpenWrite();
    try {
      return apply(subject, volume, acquires, rule, open);
    } catch (ClaimException failed) {
      if (!open.mayCount() || failed.outcome() == ChangeOutcome.UNCERTAIN) {
        throw failed;
      }
      throw failed(
          ChangeOutcome.UNCERTAIN,
          OperatorCode.CLAIM_UNCONFIRMED,
          subject,
          open.because + "; since then: " + failed.operatorMessage().seen(),
          failed);
    }
  }

  private Change apply(
      Subject subject,
      VolumeKey volume,
      boolean acquires,
      Function<Claim, ClaimDecision> rule,
      OpenWrite open) {
    Versioned remembered = claims.get(volume);
    if (remembered != null) {
      Optional<Change> change = fromMemory(subject, remembered, acquires, rule, open);
      if (change.isPresent()) {
        return change.get();
      }
    }
    Versioned there = look(subject, volume, acquires);
    open.saw(there);
    Execution<WriteResult> writes = Execution.of(OVERTAKEN, UNKNOWN);
    while (true) {
      Claim before = there.claim();
      ClaimDecision decision = rule.apply(before);
      if (decision instanceof Refused refused) {
        throw failed(
            ChangeOutcome.REFUSED, refused.code(), subject, refused.because().text(), null);
      }
      Granted granted = (Granted) decision;
      if (!granted.changes()) {
        return new Change(before, before, false);
      }
      WriteToken token = new WriteToken(UUID.randomUUID());
      ClaimVersion highest = highest(volume);
      WriteResult result = write(subject, there, granted, token);
      writes.recordResult(result);
      if (result instanceof WriteResult.Written written) {
        open.written(there);
        return new Change(before, saw(subject, highest, written.now(), acquires).claim(), true);
      }
      if (result instanceof WriteResult.Conflict conflict) {
        if (isStillThere(there, conflict.now())) {
          checkStore(subject, volume);
        }
        there = saw(subject, highest, conflict.now(), acquires);
        open.saw(there);
        if (writes.isComplete()) {
          throw failed(
              ChangeOutcome.UNAVAILABLE,
              OperatorCode.CLAIM_STORE_DOWN,
              subject,
              "others have changed the claim " + TURNS + " times meanwhile",
              null);
        }
      } else if (result instanceof WriteResult.Unknown unknown) {
        there = lookAfter(subject, there, unknown, acquires, open);
        if (there.by().filter(token::equals).isPresent()) {
          return new Change(before, there.claim(), true);
        }
        if (writes.isComplete()) {
          throw failed(
              ChangeOutcome.UNCERTAIN,
              OperatorCode.CLAIM_UNCONFIRMED,
              subject,
              unknown.because().text(),
              null);
        }
      }
    }
  }

  /**
   * The same without a look, if the claim is still the very one that was seen last. Only what is
   * written is decided by it; all else is decided after a look, and so is what comes to any other
   * end.
   */
  private Optional<Change> fromMemory(
      Subject subject,
      Versioned last,
      boolean acquires,
      Function<Claim, ClaimDecision> rule,
      OpenWrite open) {
    Claim before = last.claim();
    if (store.readOnly().isPresent()) {
      // A look shows whether a person has settled it.
      return Optional.empty();
    }
    if (!(rule.apply(before) instanceof Granted granted) || !granted.changes()) {
      return Optional.empty();
    }
    if (acquires) {
      checkStore(subject, before.volume());
    }
    WriteToken token = new WriteToken(UUID.randomUUID());
    ClaimVersion highest = highest(before.volume());
    try {
      WriteResult result = store.replace(last, granted.next(), token);
      if (result instanceof WriteResult.Written written) {
        open.written(last);
        return Optional.of(
            new Change(before, saw(subject, highest, written.now(), acquires).claim(), true));
      }
      claims.remove(before.volume(), last);
      if (result instanceof WriteResult.Unknown unknown) {
        Versioned there = lookAfter(subject, last, unknown, acquires, open);
        return there.by().filter(token::equals).isPresent()
            ? Optional.of(new Change(before, there.claim(), true))
            : Optional.empty();
      }
      return Optional.empty();
    } catch (RecordStoreException down) {
      throw down(subject, down);
    }
  }

  /**
   * True if no write has overtaken the one that is refused. A store that is another one, or that
   * has lost something, refuses like that, and would refuse each further try.
   */
  private static boolean isStillThere(Versioned expected, Versioned now) {
    return now.version().equals(expected.version()) && now.by().equals(expected.by());
  }

  private WriteResult write(Subject subject, Versioned there, Granted granted, WriteToken token) {
    return asked(subject, () -> store.compareAndSet(there.version(), granted.next(), token));
  }

  private Versioned look(Subject subject, VolumeKey volume, boolean acquires) {
    ClaimVersion before = highest(volume);
    return asked(subject, () -> saw(subject, before, store.read(volume), acquires));
  }

  private static <T> T asked(Subject subject, Supplier<T> question) {
    try {
      return question.get();
    } catch (RecordStoreException down) {
      throw down(subject, down);
    }
  }

  /** Taken before a question: others of this process may see newer versions while it is open. */
  private ClaimVersion highest(VolumeKey volume) {
    return versions.getOrDefault(volume, ClaimVersion.NEVER);
  }

  /** After a write whose end is not known, a store that cannot be read leaves it so. */
  private Versioned lookAfter(
      Subject subject,
      Versioned expected,
      WriteResult.Unknown unknown,
      boolean acquires,
      OpenWrite open) {
    open.unanswered(expected, unknown);
    VolumeKey volume = expected.claim().volume();
    ClaimVersion before = highest(volume);
    try {
      Versioned now = saw(subject, before, store.read(volume), acquires);
      open.saw(now);
      return now;
    } catch (RecordStoreException down) {
      throw failed(
          ChangeOutcome.UNCERTAIN,
          OperatorCode.CLAIM_UNCONFIRMED,
          subject,
          unknown.because() + ", and the store cannot be read: " + down.getMessage(),
          down);
    }
  }

  /** Refuses to claim from a store that has gone back, or is another one. */
  private Versioned saw(Subject subject, ClaimVersion before, Versioned now, boolean acquires) {
    remember(now);
    if (acquires) {
      checkStore(subject, now.claim().volume());
      if (now.version().compareTo(before) < 0) {
        throw wentBack(
            subject, "the claim has version " + now.version() + ", and had " + before + " before");
      }
    }
    return now;
  }

  private void remember(Versioned now) {
    VolumeKey volume = now.claim().volume();
    versions.merge(volume, now.version(), (a, b) -> a.compareTo(b) >= 0 ? a : b);
    if (claims.size() >= MOST && !claims.containsKey(volume)) {
      claims.clear();
    }
    claims.merge(volume, now, (a, b) -> a.version().compareTo(b.version()) >= 0 ? a : b);
  }

  /** Checks the state of the store, as far as it is known without a question. */
  private void checkStore(Subject subject, VolumeKey volume) {
    store
        .readOnly()
        .ifPresent(
            why -> {
              throw wentBack(subject, why.text());
            });
    StoreIdentity now = store.identity();
    StoreIdentity before =
        identity.updateAndGet(seen -> seen.isPresent() ? seen : Optional.of(now)).orElse(now);
    if (!now.equals(before)) {
      throw wentBack(subject, "it is store '" + now + "' now, and was '" + before + "'");
    }
    store
        .uncertainty(volume)
        .ifPresent(
            doubt -> {
              throw wentBack(subject, doubt.text());
            });
  }

  private static ClaimException wentBack(Subject subject, String seen) {
    return failed(ChangeOutcome.HELD, OperatorCode.CLAIM_STORE_WENT_BACK, subject, seen, null);
  }

  private static ClaimException down(Subject subject, RecordStoreException cause) {
    ChangeOutcome outcome =
        switch (cause.reason()) {
          case UNAVAILABLE, CLOSED -> ChangeOutcome.UNAVAILABLE;
          case TOO_LARGE -> ChangeOutcome.REFUSED;
          case UNREADABLE, IN_DOUBT -> ChangeOutcome.HELD;
        };
    return failed(outcome, cause.code(), subject, String.valueOf(cause.getMessage()), cause);
  }

  private static ClaimException failed(
      ChangeOutcome outcome,
      OperatorCode code,
      Subject subject,
      String seen,
      @Nullable Throwable cause) {
    return new ClaimException(outcome, Messages.of(code, subject, seen), cause);
  }
}
