package io.csi4j.volume.controller;

import io.csi4j.volume.internal.catalog.CatalogWork.Owner;
import io.csi4j.volume.internal.catalog.SessionCodec;
import io.csi4j.volume.internal.catalog.SessionRecord;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordFailure;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import java.time.Duration;
import java.util.HashMap;
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
 * <p>In a store that only one process can have open there is no other control plane, and nothing is
 * written: each session but that of this process has ended.
 */
final class ControlPlaneSession implements AutoCloseable {

  /** How long a session has to be seen without a renewal before it may be ended. */
  static final Duration EXPIRY = Duration.ofSeconds(30);

  /** Renewals in the time of one expiry. */
  private static final int RENEWALS = 4;

  private final boolean isShared;
  private final RecordBook<SessionRecord> book;
  private final String controlPlane;
  private final Clock clock;
  private final Scheduler timers;
  private final Executor threads;
  private final Duration expiry;

  /** The sessions of this process, also those that have ended. */
  private final Set<String> own = ConcurrentHashMap.newKeySet();

  /** The sessions of which this process knows that they have ended. */
  private final Set<String> ended = ConcurrentHashMap.newKeySet();

  private final ConcurrentMap<String, Observed> observed = new ConcurrentHashMap<>();

  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Owner current;
  private long renewedAt;

  /** The number of open works of each session of this process that has any. */
  private final Map<Owner, Integer> working = new HashMap<>();

  private boolean isPlanned;
  private boolean closed;

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
   */
  ControlPlaneSession(
      RecordStore store,
      String controlPlane,
      Clock clock,
      Scheduler timers,
      Executor threads,
      Duration expiry) {
    this.isShared = store.isShared();
    this.book = new RecordBook<>(store, new SessionCodec(), Optional.empty());
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

  /**
   * Begins work of this session, which is written, or renewed if that was not done for some time.
   *
   * @throws RecordFailure if the session cannot be written
   */
  Owner enter() {
    lock.lock();
    try {
      Owner known = current;
      if (known != null && isShared && age() > expiry.toNanos() / RENEWALS) {
        renew(known);
      }
      Owner owner = current == null ? begun() : current;
      current = owner;
      working.merge(owner, 1, Integer::sum);
      plan();
      return owner;
    } finally {
      lock.unlock();
    }
  }

  private Owner begun() {
    Owner begun = new Owner(UUID.randomUUID().toString(), controlPlane);
    own.add(begun.session());
    if (isShared) {
      renewedAt = clock.nanos();
      SessionRecord record = new SessionRecord(begun, 1);
      var unused =
          book.apply(
              SessionCodec.key(begun),
              true,
              now -> now.isPresent() ? new Decision.Keep<>() : new Decision.Write<>(record));
    }
    return begun;
  }

  /** The time since the last renewal. */
  private long age() {
    return clock.nanos() - renewedAt;
  }

  /**
   * Ends work of a session. One under which no other work begins ends with its last work: it was
   * given up, or this control plane is closed.
   */
  void leave(Owner owner) {
    boolean isOver;
    lock.lock();
    try {
      Integer left = working.computeIfPresent(owner, (same, open) -> open == 1 ? null : open - 1);
      isOver = left == null && (closed || !owner.equals(current));
      if (isOver && owner.equals(current)) {
        current = null;
      }
    } finally {
      lock.unlock();
    }
    if (isOver) {
      remove(owner);
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
    } catch (RecordFailure left) {
      // Others end it when they have seen it without a renewal.
    }
  }

  /** Whether work of the session goes on that this process has now. */
  private boolean isWorking() {
    return current != null && working.containsKey(current);
  }

  /**
   * Gives up the session, as work of it could not be ended in the store: others take that over when
   * they have seen the session without a renewal.
   */
  void abandon() {
    lock.lock();
    try {
      current = null;
    } finally {
      lock.unlock();
    }
  }

  /** Whether this is a session of this process. */
  boolean isOwn(Owner owner) {
    return own.contains(owner.session());
  }

  /** Whether this is a session that this process had before, and has no more. */
  boolean isFormer(Owner owner) {
    lock.lock();
    try {
      return isOwn(owner) && !owner.equals(current);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether a call may be sent for work of this session: no other control plane can have ended the
   * session by now, nor will in the next moment.
   */
  boolean mayCall(Owner owner) {
    if (!isShared) {
      return true;
    }
    lock.lock();
    try {
      return owner.equals(current) && age() < expiry.toNanos() / 3 * 2;
    } finally {
      lock.unlock();
    }
  }

  /** Whether it is known here that a session of another control plane has ended. */
  boolean isKnownOver(Owner owner) {
    return !isShared ? !isOwn(owner) : ended.contains(owner.session());
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
    if (now.isPresent() && (isRecent(now.get()) || end(key, now.get()).isPresent())) {
      return false;
    }
    ended.add(owner.session());
    observed.remove(owner.session());
    return true;
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
    if (isShared && !isPlanned && !closed) {
      isPlanned = true;
      timers.after(expiry.dividedBy(RENEWALS), this::renewSoon);
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
    Owner renewed;
    lock.lock();
    try {
      renewed = isWorking() && !closed ? current : null;
    } finally {
      lock.unlock();
    }
    try {
      if (renewed != null) {
        renew(renewed);
      }
    } catch (RecordFailure notRenewed) {
      // No call is sent once the last renewal is too long ago.
    } finally {
      again();
    }
  }

  private void again() {
    lock.lock();
    try {
      isPlanned = false;
      if (isWorking()) {
        plan();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Renews a session; one that has been ended is this process's no more. */
  private void renew(Owner owner) {
    long asked = clock.nanos();
    Optional<SessionRecord> now =
        book.apply(
                SessionCodec.key(owner),
                false,
                there ->
                    there
                        .<Decision<SessionRecord>>map(
                            session -> new Decision.Write<>(session.renewed()))
                        .orElseGet(Decision.Keep::new))
            .after()
            .value();
    lock.lock();
    try {
      if (owner.equals(current)) {
        renewedAt = now.isPresent() ? asked : renewedAt;
        current = now.isPresent() ? current : null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the session, or leaves that to the work of it that goes on: others wait for that. */
  @Override
  public void close() {
    Owner last;
    lock.lock();
    try {
      closed = true;
      last = isWorking() ? null : current;
      current = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      remove(last);
    }
  }
}
