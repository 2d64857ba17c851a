package io.csi4j.volume.controller;

import io.csi4j.volume.controller.ControlPlaneSession.Ownership;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.SessionCodec;
import io.csi4j.volume.internal.catalog.SessionRecord;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Assigns each upkeep chore to one of the control planes that share a store. A control plane has a
 * chore until it leaves the chore or its session ends. Safety does not depend on this: two control
 * planes that do the same chore do no harm.
 */
final class UpkeepTurn implements AutoCloseable {

  static final Subject TAKING = Subject.of("taking over the upkeep of the volumes");

  private final RecordStore store;
  private final ControlPlaneSession session;

  /** The record of an earlier version, which had one turn for all chores. */
  private final RecordBook<SessionRecord> ofAll;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Chore> chores = new HashMap<>();
  private boolean isClosed;

  /** A chore, guarded by the lock. */
  private final class Chore {
    private final SessionCodec codec;
    private final RecordBook<SessionRecord> book;
    private @Nullable Ownership mine;

    Chore(String name) {
      codec = SessionCodec.ofUpkeep(name);
      book = new RecordBook<>(store, codec, Optional.empty());
    }

    /** Takes the chore, or returns the other control plane that has it. */
    Optional<String> take() {
      if (mine != null && mine.isOver()) {
        leave();
      }
      Optional<SessionRecord> there = book.look(codec.upkeep(), false).value();
      Optional<String> other =
          other(ofAll.look(SessionCodec.UPKEEP, false).value()).or(() -> other(there));
      if (other.isPresent()) {
        giveBack();
        return other;
      }
      if (mine == null) {
        mine = session.enter();
      }
      SessionRecord wanted = SessionRecord.begun(mine.owner());
      if (there.equals(Optional.of(wanted))) {
        return Optional.empty();
      }
      Optional<String> now =
          other(
              book.apply(
                      codec.upkeep(),
                      false,
                      before ->
                          before.equals(there)
                              ? new Decision.Write<>(wanted)
                              : new Decision.Keep<>())
                  .after()
                  .value());
      if (now.isPresent()) {
        leave();
      }
      return now;
    }

    /**
     * Returns the control plane of the record, if it is another one whose session has not ended.
     */
    private Optional<String> other(Optional<SessionRecord> there) {
      return there
          .map(SessionRecord::owner)
          .filter(owner -> !session.isOwn(owner) && !session.isOver(owner))
          .map(CatalogWork.Owner::controlPlane);
    }

    /**
     * Leaves the chore to others, either immediately or, if that cannot be written, when the
     * session ends.
     */
    void giveBack() {
      if (mine == null) {
        return;
      }
      SessionRecord written = SessionRecord.begun(mine.owner());
      try {
        var unused =
            book.apply(
                codec.upkeep(),
                false,
                now ->
                    now.equals(Optional.of(written))
                        ? new Decision.Remove<>()
                        : new Decision.Keep<>());
      } catch (RuntimeException notWritten) {
        // The remaining chores are still left. Others take this one once the session has ended.
      } finally {
        leave();
      }
    }

    private void leave() {
      if (mine != null) {
        mine.end();
        mine = null;
      }
    }
  }

  UpkeepTurn(RecordStore store, ControlPlaneSession session) {
    this.store = store;
    this.session = session;
    ofAll = new RecordBook<>(store, SessionCodec.ofUpkeep(), Optional.empty());
  }

  /**
   * Takes a chore, unless another control plane has it.
   *
   * @return the name of the other control plane; empty if this one has the chore now
   * @throws io.csi4j.volume.internal.store.RecordFailure if the store cannot be read
   */
  Optional<String> take(String chore) {
    lock.lock();
    try {
      if (isClosed) {
        throw ControllerFailures.unavailable(
            OperatorCode.ENGINE_CLOSED, TAKING, "the controller is closed");
      }
      return session.isShared()
          ? chores.computeIfAbsent(chore, Chore::new).take()
          : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Leaves a chore to others; does nothing if this control plane does not have it. */
  void leave(String chore) {
    lock.lock();
    try {
      Optional.ofNullable(chores.remove(chore)).ifPresent(Chore::giveBack);
    } finally {
      lock.unlock();
    }
  }

  /** Leaves all chores to others and takes no more. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      chores.values().forEach(Chore::giveBack);
      chores.clear();
    } finally {
      lock.unlock();
    }
  }
}
