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
 * The session of this control plane in a store that several share: a record that is there for as
 * long as the session lasts, and is renewed while work goes on. Another control plane may end a
 * session that it has seen without a renewal for a whole {@link #EXPIRY}: it removes the record, on
 * the condition that it was not renewed. So a session ends by one write in the store, and never by
 * what a clock says alone; a control plane that only stood still finds its session gone.
 *
 * <p>Work whose end cannot be written is given up, and no other work begins under its session. The
 * work that goes on under it is not concerned: the session is renewed until that has ended. Its
 * record says what was given up, and others take that over at once.
 *
 * <p>In a store that only one process can have open there is no other control plane, and nothing is
 * written: each session but that of this process has ended.
 */
final class ControlPlaneSession implements AutoCloseable {

  /** How long a session has to be seen without a renewal before it may be ended. */
  static final Duration EXPIRY = Duration.ofSeconds(30);

  /** Renewals in the time of one expiry. */
  private static final int RENEWALS = 4;

  /** Sessions that are begun, one after the other, until the write of one is confirmed. */
  private static final int TRIES = 8;

  /** The number of sessions that are read at once. */
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

  /** Guards what was reported last, and what waits for the listeners. */
  private final ReentrantLock reporting = new ReentrantLock();

  /** The state of the session that was reported last. */
  private ControlPlaneStatus.Session reportedState = ControlPlaneStatus.Session.IDLE;

  /** The reason for which the store accepts no write, as it was reported last. */
  private Optional<ReasonText> reportedReason = Optional.empty();

  /** The events that wait for the listeners, the oldest first. */
  private final Deque<ControllerEvent> events = new ArrayDeque<>();

  /** Whether a thread notifies the listeners, or is about to. */
  private boolean isReporting;

  /** The sessions of this process, also those that have ended. */
  private final Set<String> own = ConcurrentHashMap.newKeySet();

  /** The sessions of which this process knows that they have ended. */
  private final Set<String> ended = ConcurrentHashMap.newKeySet();

  /** What other control planes have given up, as far as their sessions were looked at. */
  private final ConcurrentMap<String, Set<Part>> givenUp = new ConcurrentHashMap<>();

  private final ConcurrentMap<String, Observed> observed = new ConcurrentHashMap<>();

  /** Held by the thread that begins or renews a session for its work, while it asks the store. */
  private final ReentrantLock beginning = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();

  /** The session under which work begins; nothing before the first work, or if it was given up. */
  private @Nullable Session current;

  /** The sessions of this process that are written, or have work, the oldest first. */
  private final Map<String, Session> open = new LinkedHashMap<>();

  /** What renews the sessions after a while; nothing while there is nothing to renew. */
  private Scheduler.@Nullable Timer planned;

  private boolean closed;

  /** A session of this process, guarded by the lock. */
  private static final class Session {

    private final Owner owner;
    private final Set<Part> givenUp = new HashSet<>();
    private int working;
    private long renewedAt;

    /** Whether the record of the session lacks some of what was given up. */
    private boolean isIncomplete;

    /** Set once the record of the session is found to be gone: others take its work over. */
    private boolean isLost;

    Session(Owner owner, long renewedAt) {
      this.owner = owner;
      this.renewedAt = renewedAt;
    }
  }

  /** Work of this control plane that counts for a session until it is {@linkplain #end ended}. */
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

    /** Whether the session is known to have ended, or was left by the controller. */
    boolean isOver() {
      lock.lock();
      try {
        return isEnded || closed || session.isLost;
      } finally {
        lock.unlock();
      }
    }

    /**
     * Gives up the work on a part of a volume, as its end could not be written, or a write of it
     * may still arrive.
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
     * Ends the work. A session under which no other work begins ends with its last work; before
     * that, its record is made to say what was given up. Ending again has no effect.
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
   * What was seen of the session of another control plane.
   *
   * @param session the session
   * @param since when it was seen first without a renewal
   */
  private record Observed(SessionRecord session, long since) {}

  /**
   * No session yet: it begins with the first work.
   *
   * @param controlPlane the name of this control plane, for people
   * @param timers when a session is renewed
   * @param threads where it is renewed
   * @param reports receives what happens to it
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

  /** Returns where the operations of this control plane are reported. */
  OperationReports reports() {
    return reports;
  }

  /** Returns the name of this control plane. */
  String controlPlane() {
    return controlPlane;
  }

  /** Returns the state of the session, as far as it is known here. */
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
   * Reports the state of the session and of the store, if one of them has changed. The changes that
   * several threads find are reported in the order in which they were found.
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

  /** Reports on another thread: this one may hold a lock. One thread does so at a time. */
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

  /** Reports the work of other sessions that a write of this control plane has ended. */
  void wrote(VolumeKey volume, Optional<CatalogRecord> before, Optional<CatalogRecord> after) {
    before.stream()
        .flatMap(record -> record.work().stream())
        .filter(work -> !isOwn(work.owner()))
        .filter(work -> after.filter(it -> it.work().contains(work)).isEmpty())
        .map(work -> new ControllerEvent.TakenOver(volume, work.owner().controlPlane()))
        .forEach(reports::happened);
  }

  /**
   * Begins work of this session, which is written, or renewed if that was not done for some time.
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
   * Begins a session. Its record is written once: a write without an answer that was not made may
   * still arrive when another control plane has ended the session, which would go on then. So
   * another session takes its place, and what arrives late is a record under which no work goes on.
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

  /** Notes a session before it is written: its record is not one that was left over. */
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

  /** Whether other control planes may end a session soon, as it was not renewed in time. */
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
      // Others end it when they have seen it without a renewal.
    }
  }

  /** Whether this is a session of this process. */
  boolean isOwn(Owner owner) {
    return own.contains(owner.session());
  }

  /** Whether this process has begun this work on a volume, and has given it up. */
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

  /** Whether it is known here that a session of another control plane has ended. */
  boolean isKnownOver(Owner owner) {
    return !isShared ? !isOwn(owner) : ended.contains(owner.session());
  }

  /** Whether it is known here that another control plane does not go on with this work. */
  boolean isKnownOver(VolumeKey volume, CatalogWork work) {
    return isKnownOver(work.owner())
        || givenUp
            .getOrDefault(work.owner().session(), Set.of())
            .contains(new Part(volume, work.part()));
  }

  /**
   * Looks whether another control plane goes on with this work.
   *
   * @throws RecordFailure if the store cannot be asked
   */
  boolean isOver(VolumeKey volume, CatalogWork work) {
    return isKnownOver(volume, work) || isOver(work.owner()) || isKnownOver(volume, work);
  }

  /**
   * Looks whether the session of another control plane has ended, and ends it if it was not renewed
   * for long enough.
   *
   * @throws RecordFailure if the store cannot be asked
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
   * Ends the sessions in the store that no control plane renews, and those of this process that are
   * left over: a process that was killed while it did nothing leaves a session for which no other
   * control plane waits.
   *
   * @throws RecordFailure if the store cannot be asked
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

  /** Whether a session was seen for less than the expiry without a renewal. */
  private boolean isRecent(SessionRecord now) {
    long at = clock.nanos();
    Observed seen =
        observed.compute(
            now.owner().session(),
            (same, before) ->
                before != null && before.session().equals(now) ? before : new Observed(now, at));
    return at - seen.since() - expiry.toNanos() < 0;
  }

  /** Ends a session if it is still just this one, and returns what is there then. */
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

  /** The sessions under which work goes on. */
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
      // The other sessions are renewed. No call is sent once the last renewal is too long ago.
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

  /** Renews a session; one that has been ended is this process's no more. */
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

  /** Ends the session, or leaves that to the work of it that goes on: others wait for that. */
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
      // What still works is renewed no more, as no call is sent for it from now on.
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
