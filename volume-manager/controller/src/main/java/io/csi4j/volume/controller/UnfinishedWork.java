package io.csi4j.volume.controller;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeChange.Progress;
import io.csi4j.volume.catalog.VolumeChange.Request;
import io.csi4j.volume.controller.ControllerEvent.Attempted;
import io.csi4j.volume.controller.ControllerEvent.Attempted.Outcome;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Continues work that was begun and has not ended: deletions, and changes of size and parameters.
 * Retries have growing pauses and are separate for each volume: a volume whose plugin is down for
 * long, or does not answer, delays no other. Failures are reported, because no caller waits for the
 * attempt. A failure that needs a person's decision is reported each time; other failures once for
 * each code, and not if the caller of an operation already got the same failure.
 *
 * <p>A volume that needs a person's decision waits for an operation on it. A volume whose work
 * fails due to the state of a store waits until a person has settled that store. One of the volumes
 * that wait for a store is tried from time to time; once it succeeds, the others continue.
 */
final class UnfinishedWork implements AutoCloseable {

  private static final Subject SUBJECT = Subject.of("continuing unfinished work");
  static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  /** The interval between checks for work that other control planes have left. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(30);

  /** The codes of failures that end for all volumes together when a person has settled a store. */
  private static final Set<OperatorCode> OF_STORES =
      EnumSet.of(
          OperatorCode.CATALOG_WENT_BACK,
          OperatorCode.CATALOG_UNREADABLE,
          OperatorCode.CLUSTER_COPIED,
          OperatorCode.CLAIM_STORE_WENT_BACK,
          OperatorCode.CLAIM_UNREADABLE,
          OperatorCode.STORE_MOVED);

  /**
   * The codes of failures that show nothing about a store, because it did not answer or was not
   * accessed.
   */
  private static final Set<OperatorCode> OF_NO_ANSWER =
      EnumSet.of(
          OperatorCode.CATALOG_DOWN,
          OperatorCode.CATALOG_UNCONFIRMED,
          OperatorCode.CLAIM_STORE_DOWN,
          OperatorCode.CLAIM_UNCONFIRMED,
          OperatorCode.CONTROLLER_BUSY,
          OperatorCode.ENGINE_CLOSED);

  /** The ratio of the longest pause to the first. */
  private static final int MOST = 512;

  private final Catalog catalog;
  private final Scheduler timers;

  /**
   * A pause is random and at least half its length, so that many volumes or hosts do not retry in
   * step.
   */
  private final Backoff pauses;

  private final Function<VolumeKey, CompletableFuture<?>> goOn;
  private final Consumer<OperatorMessage> told;
  private final OperationReports reports;

  /** The volumes that wait for a person. */
  private final ConcurrentMap<VolumeKey, Hold> held = new ConcurrentHashMap<>();

  /** The volume that was last tried for each store-related code. */
  private final ConcurrentMap<OperatorCode, VolumeKey> looked = new ConcurrentHashMap<>();

  /** Whether a check of the stores that volumes wait for is planned. */
  private final AtomicBoolean isLookPlanned = new AtomicBoolean();

  /** The times of the next attempts, both planned and running. */
  private final ConcurrentMap<VolumeKey, Instant> planned = new ConcurrentHashMap<>();

  /** The number of attempts for each volume with unfinished work. */
  private final ConcurrentMap<VolumeKey, Integer> attempts = new ConcurrentHashMap<>();

  /** The last background failure of each volume with unfinished work. */
  private final ConcurrentMap<VolumeKey, OperatorMessage> failures = new ConcurrentHashMap<>();

  /** The code of the last reported failure of each of them. */
  private final ConcurrentMap<VolumeKey, OperatorCode> reported = new ConcurrentHashMap<>();

  /** The pending timers; cancelled on close, so that none keeps the catalog reachable. */
  private final Set<Scheduler.Timer> waiting = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /**
   * The reason why a volume waits for a person.
   *
   * @param record the record of the volume at that time: if it has changed, another control plane
   *     has continued the work
   * @param code the code of the failure
   */
  private record Hold(CatalogEntry record, OperatorCode code) {

    boolean isOfStore() {
      return OF_STORES.contains(code);
    }
  }

  /**
   * Creates the object; nothing is tried yet.
   *
   * @param firstPause the longest first pause before a volume is retried; later pauses double
   * @param goOn continues the work on one volume, without blocking
   * @param told receives failures
   * @param reports receives the end of each attempt
   */
  UnfinishedWork(
      Catalog catalog,
      Scheduler timers,
      Duration firstPause,
      Function<VolumeKey, CompletableFuture<?>> goOn,
      Consumer<OperatorMessage> told,
      OperationReports reports) {
    this.reports = reports;
    this.catalog = catalog;
    this.timers = timers;
    pauses = Backoff.halfJitter(firstPause, firstPause.multipliedBy(MOST));
    this.goOn = goOn;
    this.told = told;
  }

  /** The volumes with work that is pending here or at their host. */
  List<VolumeKey> owed() {
    return those(each -> isOwed(each) || !each.pendingSnapshots().isEmpty());
  }

  /** The volumes that wait for a person, in the order of their keys. */
  List<VolumeKey> held() {
    return those(this::isHeld);
  }

  /** Whether a volume waits for a person and no control plane has made progress with it since. */
  boolean isHeld(CatalogEntry now) {
    Hold hold = held.get(now.key());
    return hold != null && hold.record().equals(uncut(now));
  }

  private boolean isHeld(VolumeKey key) {
    try {
      return catalog.known(key).filter(this::isHeld).isPresent();
    } catch (RuntimeException storeDown) {
      return held.containsKey(key);
    }
  }

  /** The record without its snapshots, which are created in parallel with all other work. */
  private static CatalogEntry uncut(CatalogEntry now) {
    return now.cutting(List.of());
  }

  /** Notes that a volume waits for a person; returns whether that is new. */
  private boolean hold(VolumeKey key, OperatorCode code) {
    try {
      Optional<Hold> now = catalog.known(key).map(record -> new Hold(uncut(record), code));
      return now.isPresent() && !now.get().equals(held.put(key, now.get()));
    } catch (RuntimeException storeDown) {
      // The next attempt notes it.
      return false;
    }
  }

  private List<VolumeKey> those(Predicate<CatalogEntry> which) {
    return catalog.all().stream().filter(which).map(CatalogEntry::key).toList();
  }

  /**
   * Whether this control plane finishes the work: only the host itself repeats requests for
   * snapshots.
   */
  private static boolean isOwed(CatalogEntry each) {
    return each.state() instanceof State.Deleting
        || each.state() instanceof State.Growing
        || each.isBeingModified();
  }

  /**
   * Handles the end of an operation on this volume, and retries its work after a pause, unless a
   * person is needed.
   *
   * @param failure the failure that the caller of the operation got
   */
  void ended(VolumeKey key, Optional<ControllerException> failure) {
    if (failure.filter(UnfinishedWork::needsPerson).isEmpty() && held.remove(key) != null) {
      attempts.remove(key);
      failures.remove(key);
    }
    failure.ifPresent(failed -> reported.put(key, failed.code()));
    later(key);
  }

  private static boolean needsPerson(ControllerException failed) {
    return failed.outcome() == ChangeOutcome.HELD;
  }

  /** Adds to the changes of a volume whether they wait, and for what. */
  List<VolumeChange> shown(VolumeKey key, List<VolumeChange> changes) {
    OperatorMessage last = failures.get(key);
    return last == null ? changes : changes.stream().map(each -> shown(key, each, last)).toList();
  }

  private VolumeChange shown(VolumeKey key, VolumeChange change, OperatorMessage last) {
    if (change.progress() != Progress.IN_PROGRESS) {
      return change;
    }
    if (isHeld(key)) {
      return new VolumeChange(change.request(), Progress.HELD, last.line(), change.at());
    }
    return change.request() instanceof Request.Deletion
        ? new VolumeChange(change.request(), change.progress(), last.seen().text(), change.at())
        : change;
  }

  /**
   * Schedules an attempt for each volume with unfinished work. If there are other control planes,
   * checks regularly whether one of them has ended and left work.
   */
  void later() {
    look();
    lookLater();
  }

  private void look() {
    if (catalog.isShared()) {
      catalog.lookAtOwners();
    }
    those(UnfinishedWork::isOwed).forEach(this::later);
    // Other control planes may have finished work that was tried here.
    List.copyOf(reported.keySet()).forEach(this::later);
    List.copyOf(held.keySet()).forEach(this::later);
  }

  private void lookLater() {
    if (catalog.isShared() && !closed) {
      after(BETWEEN_LOOKS, this::lookAgain);
    }
  }

  private void lookAgain() {
    if (closed) {
      return;
    }
    try {
      look();
    } catch (ControllerException storeDown) {
      // The next check tries again.
    } finally {
      // Also after an unexpected exception of a store, which the timer logs.
      lookLater();
    }
  }

  /**
   * Schedules an attempt for a volume, if it has unfinished work; repeated calls have no effect.
   * The pauses of a volume start short again once its work has ended.
   */
  void later(VolumeKey key) {
    if (isHeld(key)) {
      if (Optional.ofNullable(held.get(key)).filter(Hold::isOfStore).isPresent()) {
        lookAtStoresLater();
      }
      return;
    }
    held.remove(key);
    if (!mayBeOwed(key)) {
      attempts.remove(key);
      failures.remove(key);
      reported.remove(key);
    } else if (!closed && !planned.containsKey(key)) {
      Duration pause = pauses.pause(attempts.getOrDefault(key, 0) + 1, timers.random());
      if (planned.putIfAbsent(key, catalog.wall().plus(pause)) == null) {
        after(pause, () -> attempt(key));
      }
    }
  }

  private boolean mayBeOwed(VolumeKey key) {
    try {
      return catalog.known(key).filter(UnfinishedWork::isOwed).isPresent()
          && !catalog.isWorkedOnElsewhere(key);
    } catch (RuntimeException storeDown) {
      // The attempt finds out.
      return true;
    }
  }

  /** Checks after a pause whether the stores that volumes wait for are settled. */
  private void lookAtStoresLater() {
    if (!closed && isLookPlanned.compareAndSet(false, true)) {
      after(BETWEEN_LOOKS, this::lookAtStores);
    }
  }

  /** Tries one of the volumes that wait for the same reason: a different one at each check. */
  private void lookAtStores() {
    Map<OperatorCode, TreeSet<VolumeKey>> waiting = new EnumMap<>(OperatorCode.class);
    held.forEach(
        (key, hold) -> {
          if (hold.isOfStore()) {
            waiting.computeIfAbsent(hold.code(), none -> new TreeSet<>()).add(key);
          }
        });
    waiting.forEach(
        (code, keys) -> {
          VolumeKey last = looked.get(code);
          VolumeKey next = last == null ? null : keys.higher(last);
          looked.put(code, next == null ? keys.first() : next);
        });
    isLookPlanned.set(false);
    if (!waiting.isEmpty()) {
      waiting.keySet().stream()
          .map(looked::get)
          .filter(key -> planned.putIfAbsent(key, catalog.wall()) == null)
          .forEach(this::attempt);
      lookAtStoresLater();
    }
  }

  private void attempt(VolumeKey key) {
    if (closed) {
      return;
    }
    int number = attempts.merge(key, 1, Integer::sum);
    Operation operation =
        catalog
            .peek(key)
            .map(it -> ControlPlaneStatus.Pending.operation(it.entry()))
            .orElse(Operation.RETRY);
    Optional<Hold> before = Optional.ofNullable(held.get(key));
    goOn.apply(key)
        .whenComplete(
            (done, thrown) -> {
              Optional<ControllerException> failure =
                  Optional.ofNullable(thrown).map(it -> ControllerFailures.of(SUBJECT, it));
              try {
                failure.ifPresent(failed -> failed(key, failed));
              } finally {
                planned.remove(key);
                before
                    .filter(Hold::isOfStore)
                    .map(Hold::code)
                    .filter(code -> isSettled(code, failure.map(ControllerException::code)))
                    .ifPresent(this::settled);
                later(key);
                report(key, operation, number, failure);
              }
            });
  }

  /** Whether the end of an attempt shows that the cause of this code is resolved. */
  private static boolean isSettled(OperatorCode code, Optional<OperatorCode> failure) {
    return failure.filter(it -> it == code || OF_NO_ANSWER.contains(it)).isEmpty();
  }

  /** Continues with the volumes that wait for the cause of this code. */
  private void settled(OperatorCode code) {
    held.forEach(
        (key, hold) -> {
          if (hold.code() == code && held.remove(key, hold)) {
            attempts.remove(key);
            later(key);
          }
        });
  }

  /** Reports an attempt, without reading the result for the volume from the store. */
  private void report(
      VolumeKey key, Operation operation, int number, Optional<ControllerException> failure) {
    Optional<Instant> next = next(key);
    Outcome outcome = Outcome.DONE;
    if (failure.isPresent()) {
      outcome = needsPerson(failure.get()) && held.containsKey(key) ? Outcome.HELD : Outcome.FAILED;
    } else if (next.isEmpty() && catalog.peek(key).filter(Catalog.Known::isElsewhere).isPresent()) {
      outcome = Outcome.ELSEWHERE;
    }
    reports.happened(
        new Attempted(
            key,
            operation,
            number,
            outcome,
            failure.map(ControllerException::operatorMessage),
            next));
  }

  /** Returns the number of background attempts to finish the work on a volume. */
  int attempts(VolumeKey key) {
    return attempts.getOrDefault(key, 0);
  }

  /** Returns the last background failure of a volume with unfinished work. */
  Optional<OperatorMessage> failure(VolumeKey key) {
    return Optional.ofNullable(failures.get(key));
  }

  /** Returns when the next attempt begins, if one is planned. */
  Optional<Instant> next(VolumeKey key) {
    return Optional.ofNullable(planned.get(key));
  }

  private void failed(VolumeKey key, ControllerException failure) {
    failures.put(key, failure.operatorMessage());
    boolean isHeld =
        needsPerson(failure) && hold(key, failure.code()) && !OF_STORES.contains(failure.code());
    boolean isOther = reported.put(key, failure.code()) != failure.code();
    if (isHeld || isOther) {
      told.accept(failure.operatorMessage());
    }
  }

  @Override
  public void close() {
    closed = true;
    waiting.forEach(Scheduler.Timer::cancel);
  }

  /** Runs an action after a pause, unless this object is closed before. */
  private void after(Duration pause, Runnable work) {
    CompletableFuture<Scheduler.Timer> timer = new CompletableFuture<>();
    Scheduler.Timer begun =
        timers.after(
            pause,
            () -> {
              var unused = timer.thenAccept(waiting::remove);
              work.run();
            });
    waiting.add(begun);
    timer.complete(begun);
    if (closed) {
      begun.cancel();
    }
  }
}
