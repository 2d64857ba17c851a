package io.csi4j.volume.controller;

import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Owner;
import io.csi4j.volume.internal.catalog.SessionCodec;
import io.csi4j.volume.internal.catalog.SessionRecord;
import io.csi4j.volume.internal.catalog.SessionRecord.Part;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordFailure;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The session of this control plane in a store that several share: a record that exists for as long
 * as the session lasts and is renewed while work goes on. Another control plane may end a session
 * that it has seen without a renewal for a full {@link #EXPIRY}: it removes the record, on the
 * condition that the record was not renewed. So a session ends by one write in the store, and never
 * by a clock alone; a control plane that was only suspended finds its session gone.
 *
 * <p>If the end of some work cannot be written, that work is given up, and no new work begins under
 * its session. Other work that already runs under the session is not affected: the session is
 * renewed until that work has ended. The session's record lists the given-up work, and other
 * control planes take it over immediately.
 *
 * <p>A store that only one process can open has no other control plane, and nothing is written:
 * every session but that of this process has ended.
 */
final class ControlPlaneSession implements AutoCloseable {

  /** The time that a session must be seen without a renewal before it may be ended. */
  static final Duration EXPIRY = Duration.ofSeconds(30);

  /** The number of renewals within one expiry. */
  static final int RENEWALS = 4;

  /**
   * The maximum number of sessions that are begun, one after the other, until a write is confirmed.
   */
  private static final int TRIES = 8;

  /** The number of sessions that are read at a time. */
  private static final int PAGE = 100;

  private final boolean isShared;
  private final RecordBook<SessionRecord> book;
  private final String controlPlane;
  private final Clock clock;
  private final Scheduler timers;
  private final Executor threads;
  private final Duration expiry;
  private final RecordStore store;
  private final OperationReports reports;

  /** Guards the state that was last reported, and the events that wait for the listeners. */
  private final ReentrantLock reporting = new ReentrantLock();

  /** The session state that was last reported. */
  private ControlPlaneStatus.Session reportedState = ControlPlaneStatus.Session.IDLE;

  /** The reason for which the store accepts no writes, as last reported. */
  private Optional<ReasonText> reportedReason = Optional.empty();

  /** The events that wait for the listeners, the oldest first. */
  private final Deque<ControllerEvent> events = new ArrayDeque<>();

  /** Whether a thread notifies the listeners, or is about to. */
  private boolean isReporting;

  /** The sessions of this process, including ended ones. */
  private final Set<String> own = ConcurrentHashMap.newKeySet();

  /** The sessions that this process knows to have ended. */
  private final Set<String> ended = ConcurrentHashMap.newKeySet();

  /** The parts that other control planes have given up, by the sessions checked so far. */
  private final ConcurrentMap<String, Set<Part>> givenUp = new ConcurrentHashMap<>();

  private final ConcurrentMap<String, Observed> observed = new ConcurrentHashMap<>();

  /**
   * Held by the thread that begins or renews a session for its work while it accesses the store.
   */
  private final ReentrantLock beginning = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();

  /**
   * The session under which new work begins; null before the first work, or if the session was
   * given up.
   */
  private @Nullable Session current;

  /** The sessions of this process that are written or have work, the oldest first. */
  private final Map<String, Session> open = new LinkedHashMap<>();

  /** The timer of the next renewal; null while there is nothing to renew. */
  private Scheduler.@Nullable Timer planned;

  private boolean closed;

  /** A session of this process, guarded by the lock. */
  private static final class Session {

    private final Owner owner;
    private final Set<Part> givenUp = new HashSet<>();
    private int working;
    private long renewedAt;

    /** Whether the session's record lacks some of the given-up parts. */
    private boolean isIncomplete;

    /** Set once the record of the session is found to be gone: others take over its work. */
    private boolean isLost;

    Session(Owner owner, long renewedAt) {
      this.owner = owner;
      this.renewedAt = renewedAt;
    }
  }

  /** Work of this control plane that belongs to a session until it is {@linkplain #end ended}. */
  final class Ownership {

    private final Session session;
    private boolean isGivenUp;
    private boolean isEnded;

    private Ownership(Session session) {
      this.session = session;
    }

    /** Returns the session. */
    Owner owner() {
      return session.owner;
    }

    /**
     * Whether a call may be sent for this work: no other control plane can have ended the session
     * by now, nor will in the next moment.
     */
    boolean mayCall() {
      if (!isShared) {
        return true;
      }
      lock.lock();
      try {
        return !isGivenUp && !isEnded && !closed && !session.isLost && !isOld(session);
      } finally {
        lock.unlock();
      }
    }

    /** Whether the session is known to have ended, or the controller has left it. */
    boolean isOver() {
      lock.lock();
      try {
        return isEnded || closed || session.isLost;
      } finally {
        lock.unlock();
      }
    }

    /**
     * Gives up the work on a part of a volume because its end could not be written, or because a
     * write of it may still arrive.
     */
    void giveUp(VolumeKey volume, String part) {
      boolean isNews;
      lock.lock();
      try {
        isGivenUp = true;
        isNews = session.givenUp.add(new Part(volume, part));
        session.isIncomplete |= isNews;
        if (session == current) {
          current = null;
        }
      } finally {
        lock.unlock();
      }
      if (isNews) {
        happened(new ControllerEvent.GivenUp(volume));
      }
    }

    /**
     * Ends the work. A session that accepts no new work ends with its last work; before that, its
     * record is updated with the given-up parts. Ending again has no effect.
     */
    void end() {
      boolean isLast;
      boolean isIncomplete;
      lock.lock();
      try {
        if (isEnded) {
          return;
        }
        isEnded = true;
        session.working--;
        isLast = session.working == 0 && (closed || session != current);
        isIncomplete = session.isIncomplete && !session.isLost;
        if (isLast) {
          forget(session);
        }
      } finally {
        lock.unlock();
      }
      if (isLast) {
        remove(session.owner);
      } else if (isIncomplete && isShared) {
        renewIfPossible(session);
      }
      report();
    }
  }

  /**
   * An observation of the session of another control plane.
   *
   * @param session the session
   * @param since the time at which it was first seen without a renewal
   */
  private record Observed(SessionRecord session, long since) {}

  /**
   * Creates the holder of sessions; a session begins with the first work.
   *
   * @param controlPlane the name of this control plane, for people
   * @param timers the timers for renewals
   * @param threads the threads for renewals
   * @param reports receives the events of the session
   */
  ControlPlaneSession(
      RecordStore store,
      String controlPlane,
      Clock clock,
      Scheduler timers,
      Executor threads,
      Duration expiry,
      OperationReports reports) {
    this.store = store;
    this.reports = reports;
    this.isShared = store.isShared();
    this.book = new RecordBook<>(store, SessionCodec.ofSessions(), Optional.empty());
    this.controlPlane = controlPlane;
    this.clock = clock;
    this.timers = timers;
    this.threads = threads;
    this.expiry = expiry;
  }

  /** Whether other control planes may work on the same volumes. */
  boolean isShared() {
    return isShared;
  }

  /** Returns the reports of this control plane's operations. */
  OperationReports reports() {
    return reports;
  }

  /** Returns the name of this control plane. */
  String controlPlane() {
    return controlPlane;
  }

  /** Returns the state of the session, as far as this process knows. */
  ControlPlaneStatus.Session state() {
    lock.lock();
    try {
      List<Session> busy = open.values().stream().filter(each -> each.working > 0).toList();
      if (busy.isEmpty()) {
        return ControlPlaneStatus.Session.IDLE;
      } else if (busy.stream().anyMatch(each -> each.isLost)) {
        return ControlPlaneStatus.Session.LOST;
      }
      return isShared && busy.stream().anyMatch(this::isOld)
          ? ControlPlaneStatus.Session.UNCERTAIN
          : ControlPlaneStatus.Session.ACTIVE;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports the state of the session and of the store, if one of them has changed. Changes found by
   * several threads are reported in the order in which they were found.
   */
  void report() {
    reporting.lock();
    try {
      ControlPlaneStatus.Session now = state();
      ControlPlaneStatus.Session before = reportedState;
      reportedState = now;
      if (now != before && (now.isTrouble() || before.isTrouble())) {
        happened(new ControllerEvent.SessionChanged(now));
      }
      Optional<ReasonText> reason = store.readOnly();
      if (!reason.equals(reportedReason)) {
        reportedReason = reason;
        happened(new ControllerEvent.StoreChanged(reason));
      }
    } finally {
      reporting.unlock();
    }
  }

  /**
   * Reports on another thread, because this one may hold a lock. Only one thread does so at a time.
   */
  private void happened(ControllerEvent event) {
    if (!reports.isOn()) {
      return;
    }
    reporting.lock();
    try {
      events.add(event);
      if (!isReporting) {
        threads.execute(this::notifyListeners);
        isReporting = true;
      }
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      // The controller is closed, or the event is reported with the next one.
    } finally {
      reporting.unlock();
    }
  }

  private void notifyListeners() {
    for (Optional<ControllerEvent> next = next(); next.isPresent(); next = next()) {
      reports.happened(next.get());
    }
  }

  private Optional<ControllerEvent> next() {
    reporting.lock();
    try {
      isReporting = !events.isEmpty();
      return Optional.ofNullable(events.poll());
    } finally {
      reporting.unlock();
    }
  }

  /** Reports work of other sessions that a write of this control plane has ended. */
  void wrote(VolumeKey volume, Optional<CatalogRecord> before, Optional<CatalogRecord> after) {
    before.stream()
        .flatMap(record -> record.work().stream())
        .filter(work -> !isOwn(work.owner()))
        .filter(work -> after.filter(it -> it.work().contains(work)).isEmpty())
        .map(work -> new ControllerEvent.TakenOver(volume, work.owner().controlPlane()))
        .forEach(reports::happened);
  }

  /**
   * Begins work under the session, which is written first, or renewed if the last renewal is too
   * old.
   *
   * @throws RecordFailure if the session cannot be written
   */
  Ownership enter() {
    Ownership begun = entered();
    report();
    return begun;
  }

  private Ownership entered() {
    beginning.lock();
    try {
      renewIfDue();
      return begunUnderCurrent().orElseGet(() -> begunUnder(begun()));
    } finally {
      beginning.unlock();
    }
  }

  private void renewIfDue() {
    Session known;
    lock.lock();
    try {
      known = current;
      if (known == null || !isShared || age(known) <= expiry.toNanos() / RENEWALS) {
        return;
      }
    } finally {
      lock.unlock();
    }
    renew(known);
  }

  private Optional<Ownership> begunUnderCurrent() {
    lock.lock();
    try {
      return Optional.ofNullable(current).map(this::begunUnder);
    } finally {
      lock.unlock();
    }
  }

  private Ownership begunUnder(Session session) {
    lock.lock();
    try {
      current = session;
      session.working++;
      plan();
      return new Ownership(session);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins a session. Its record is written once: an unconfirmed write that was not applied could
   * still arrive after another control plane has ended the session, and would revive it. So an
   * unconfirmed session is replaced by a new one, and a late write only leaves a record under which
   * no work runs.
   */
  private Session begun() {
    for (int tries = 1; ; tries++) {
      Owner owner = new Owner(UUID.randomUUID().toString(), controlPlane);
      Session begun = new Session(owner, clock.nanos());
      own.add(owner.session());
      boolean isWritten = false;
      open(begun);
      try {
        isWritten = !isShared || isWritten(owner, tries == TRIES);
      } finally {
        if (!isWritten) {
          drop(begun);
        }
      }
      if (isWritten) {
        return begun;
      }
    }
  }

  /** Notes a session before it is written, so that its record is not treated as left over. */
  private void open(Session begun) {
    lock.lock();
    try {
      open.put(begun.owner.session(), begun);
    } finally {
      lock.unlock();
    }
  }

  private void drop(Session session) {
    lock.lock();
    try {
      forget(session);
    } finally {
      lock.unlock();
    }
  }

  private boolean isWritten(Owner owner, boolean isLast) {
    boolean[] isTried = new boolean[1];
    return book.apply(
            SessionCodec.key(owner),
            true,
            now -> {
              if (isTried[0]) {
                return isLast
                    ? new Decision.Refuse<>(
                        OperatorCode.CLAIM_STORE_DOWN, "no session could be begun")
                    : new Decision.Keep<>();
              }
              isTried[0] = true;
              return new Decision.Write<>(SessionRecord.begun(owner));
            })
        .after()
        .value()
        .isPresent();
  }

  /** The time since the last renewal. */
  private long age(Session session) {
    return clock.nanos() - session.renewedAt;
  }

  /** Whether other control planes may end a session soon because it was not renewed in time. */
  private boolean isOld(Session session) {
    return age(session) >= expiry.toNanos() / 3 * 2;
  }

  private void forget(Session session) {
    open.remove(session.owner.session());
    if (session == current) {
      current = null;
    }
  }

  /** Removes the record of a session without work. */
  private void remove(Owner owner) {
    if (!isShared) {
      return;
    }
    try {
      var unused =
          book.apply(
              SessionCodec.key(owner),
              false,
              now -> now.isPresent() ? new Decision.Remove<>() : new Decision.Keep<>());
    } catch (RuntimeException left) {
      // Other control planes end it when they have seen it without a renewal.
    }
  }

  /** Whether this is a session of this process. */
  boolean isOwn(Owner owner) {
    return own.contains(owner.session());
  }

  /** Whether this process began this work on a volume and has given it up. */
  boolean isGivenUp(VolumeKey volume, CatalogWork work) {
    lock.lock();
    try {
      Session session = open.get(work.owner().session());
      return isOwn(work.owner())
          && (session == null
              || session.isLost
              || session.givenUp.contains(new Part(volume, work.part())));
    } finally {
      lock.unlock();
    }
  }

  /** Whether this process knows that a session of another control plane has ended. */
  boolean isKnownOver(Owner owner) {
    return !isShared ? !isOwn(owner) : ended.contains(owner.session());
  }

  /** Whether this process knows that another control plane does not continue this work. */
  boolean isKnownOver(VolumeKey volume, CatalogWork work) {
    return isKnownOver(work.owner())
        || givenUp
            .getOrDefault(work.owner().session(), Set.of())
            .contains(new Part(volume, work.part()));
  }

  /**
   * Checks whether another control plane has stopped doing this work.
   *
   * @throws RecordFailure if the store cannot be read
   */
  boolean isOver(VolumeKey volume, CatalogWork work) {
    return isKnownOver(volume, work) || isOver(work.owner()) || isKnownOver(volume, work);
  }

  /**
   * Checks whether the session of another control plane has ended, and ends it if it was not
   * renewed for long enough.
   *
   * @throws RecordFailure if the store cannot be read
   */
  boolean isOver(Owner owner) {
    if (isOwn(owner) || isKnownOver(owner)) {
      return !isOwn(owner);
    }
    RecordKey key = SessionCodec.key(owner);
    Optional<SessionRecord> now = book.look(key, false).value();
    now.filter(session -> !session.givenUp().isEmpty())
        .ifPresent(session -> givenUp.put(owner.session(), session.givenUp()));
    if (now.isPresent() && (isRecent(now.get()) || end(key, now.get()).isPresent())) {
      return false;
    }
    ended.add(owner.session());
    observed.remove(owner.session());
    givenUp.remove(owner.session());
    return true;
  }

  /**
   * Ends the sessions in the store that no control plane renews, and leftover sessions of this
   * process: a process that was killed while idle leaves a session that no other control plane
   * waits for.
   *
   * @throws RecordFailure if the store cannot be read
   */
  void endLeft() {
    report();
    if (!isShared) {
      return;
    }
    Set<String> there = new HashSet<>();
    Optional<RecordKey> after = Optional.empty();
    do {
      RecordValues.Page<SessionRecord> page = book.page(after, PAGE);
      for (Seen<SessionRecord> each : page.records()) {
        SessionRecord session = each.value().orElseThrow();
        there.add(session.owner().session());
        endIfLeft(each.key(), session);
      }
      after = page.next();
    } while (after.isPresent());
    observed.keySet().retainAll(there);
    givenUp.keySet().retainAll(there);
  }

  private void endIfLeft(RecordKey key, SessionRecord session) {
    if (!isOwn(session.owner())) {
      if (!isRecent(session)) {
        var unused = end(key, session);
      }
    } else if (!isOpen(session.owner())) {
      remove(session.owner());
    }
  }

  /** Whether a session is written or has work. */
  private boolean isOpen(Owner owner) {
    lock.lock();
    try {
      return open.containsKey(owner.session());
    } finally {
      lock.unlock();
    }
  }

  /** Whether a session was seen without a renewal for less than the expiry. */
  private boolean isRecent(SessionRecord now) {
    long at = clock.nanos();
    Observed seen =
        observed.compute(
            now.owner().session(),
            (same, before) ->
                before != null && before.session().equals(now) ? before : new Observed(now, at));
    return at - seen.since() - expiry.toNanos() < 0;
  }

  /** Ends a session if its record is unchanged, and returns the record found. */
  private Optional<SessionRecord> end(RecordKey key, SessionRecord session) {
    return book.apply(
            key,
            false,
            now ->
                now.equals(Optional.of(session)) ? new Decision.Remove<>() : new Decision.Keep<>())
        .after()
        .value();
  }

  private void plan() {
    if (isShared && planned == null && !closed) {
      planned = timers.after(expiry.dividedBy(RENEWALS), this::renewSoon);
    }
  }

  private void renewSoon() {
    try {
      threads.execute(this::renew);
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      again();
    }
  }

  private void renew() {
    try {
      renewable().forEach(this::renewIfPossible);
      report();
    } finally {
      again();
    }
  }

  /** The sessions that have running work. */
  private List<Session> renewable() {
    lock.lock();
    try {
      return closed
          ? List.of()
          : open.values().stream().filter(each -> each.working > 0 && !each.isLost).toList();
    } finally {
      lock.unlock();
    }
  }

  private void renewIfPossible(Session session) {
    try {
      renew(session);
    } catch (RuntimeException notRenewed) {
      // The other sessions are still renewed. No call is sent once the last renewal is too long
      // ago.
    }
  }

  private void again() {
    lock.lock();
    try {
      planned = null;
      if (!renewable().isEmpty()) {
        plan();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Renews a session; if another control plane has ended it, this process no longer owns it. */
  private void renew(Session session) {
    long asked = clock.nanos();
    Set<Part> parts = givenUp(session);
    Optional<SessionRecord> now =
        book.apply(
                SessionCodec.key(session.owner),
                false,
                there ->
                    there
                        .<Decision<SessionRecord>>map(
                            known -> new Decision.Write<>(known.renewed(parts)))
                        .orElseGet(Decision.Keep::new))
            .after()
            .value();
    lock.lock();
    try {
      if (now.isPresent()) {
        session.renewedAt = asked;
        session.isIncomplete &= !now.get().givenUp().equals(session.givenUp);
      } else {
        lost(session);
      }
    } finally {
      lock.unlock();
    }
  }

  private Set<Part> givenUp(Session session) {
    lock.lock();
    try {
      return Set.copyOf(session.givenUp);
    } finally {
      lock.unlock();
    }
  }

  private void lost(Session session) {
    session.isLost = true;
    if (session.working == 0) {
      forget(session);
    } else if (session == current) {
      current = null;
    }
  }

  /**
   * Ends the session; while work still runs under it, leaves that to the end of the work: others
   * wait for it.
   */
  @Override
  public void close() {
    Session last;
    lock.lock();
    try {
      closed = true;
      last = current != null && current.working == 0 ? current : null;
      if (last != null) {
        forget(last);
      }
      current = null;
      // Work that still runs is no longer renewed, because no call is sent instead of it from now
      // on.
      if (planned != null) {
        planned.cancel();
        planned = null;
      }
    } finally {
      lock.unlock();
    }
    if (last != null) {
      remove(last.owner);
    }
  }
}
