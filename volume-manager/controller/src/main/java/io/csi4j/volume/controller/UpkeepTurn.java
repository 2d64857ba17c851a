package io.csi4j.volume.controller;

import io.csi4j.volume.controller.ControlPlaneSession.Ownership;
import io.csi4j.volume.internal.catalog.SessionCodec;
import io.csi4j.volume.internal.catalog.SessionRecord;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordStore;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which of the control planes that share a store has the upkeep. It has it as long as its session
 * lasts; nothing is safe or unsafe by it, as two that do the same upkeep do no harm.
 */
final class UpkeepTurn implements AutoCloseable {

  static final Subject TAKING = Subject.of("taking the upkeep of the volumes");

  private final RecordBook<SessionRecord> book;
  private final ControlPlaneSession session;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Ownership mine;
  private boolean isClosed;

  UpkeepTurn(RecordStore store, ControlPlaneSession session) {
    this.book = new RecordBook<>(store, SessionCodec.ofUpkeep(), Optional.empty());
    this.session = session;
  }

  /**
   * Takes the upkeep, if no other control plane has it.
   *
   * @return the name of the other control plane; nothing if this one has it now
   * @throws io.csi4j.volume.internal.store.RecordFailure if the store cannot be asked
   */
  Optional<String> take() {
    lock.lock();
    try {
      return taken();
    } finally {
      lock.unlock();
    }
  }

  private Optional<String> taken() {
    if (isClosed) {
      throw ControllerFailures.unavailable(
          OperatorCode.ENGINE_CLOSED, TAKING, "the controller is closed");
    }
    if (!session.isShared()) {
      return Optional.empty();
    }
    Ownership held = mine;
    if (held != null && held.isOver()) {
      leave();
      held = null;
    }
    Optional<SessionRecord> there = book.look(SessionCodec.UPKEEP, false).value();
    if (held != null && there.filter(it -> it.owner().equals(mine().owner())).isPresent()) {
      return Optional.empty();
    }
    if (there.filter(it -> !session.isOwn(it.owner()) && !session.isOver(it.owner())).isPresent()) {
      leave();
      return there.map(it -> it.owner().controlPlane());
    }
    if (held == null) {
      mine = session.enter();
    }
    SessionRecord wanted = SessionRecord.begun(mine().owner());
    SessionRecord now =
        book.apply(
                SessionCodec.UPKEEP,
                false,
                before ->
                    before.equals(there) ? new Decision.Write<>(wanted) : new Decision.Keep<>())
            .after()
            .value()
            .orElse(wanted);
    if (now.equals(wanted)) {
      return Optional.empty();
    }
    leave();
    return Optional.of(now.owner().controlPlane());
  }

  private Ownership mine() {
    return Objects.requireNonNull(mine, "mine");
  }

  /** Leaves the upkeep to others for good: they take it once the session has ended. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      leave();
    } finally {
      lock.unlock();
    }
  }

  private void leave() {
    if (mine != null) {
      mine.end();
      mine = null;
    }
  }
}
