package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A change that a caller waits for, while perhaps another caller writes it. */
final class Write {

  private final @Nullable StateKey key;
  private final Entry change;
  private final boolean taking;
  private final Thread caller = Thread.currentThread();
  private final List<StateEvent> events = new ArrayList<>();
  private @Nullable Stored stored;
  private @Nullable Throwable failure;
  private volatile boolean done;

  /** A change of this key, if of any, that the current thread waits for. */
  Write(@Nullable StateKey key, Entry change, boolean taking) {
    this.key = key;
    this.change = change;
    this.taking = taking;
  }

  @Nullable StateKey key() {
    return key;
  }

  Entry change() {
    return change;
  }

  /** Whether it is refused unless it is on the medium. */
  boolean taking() {
    return taking;
  }

  /** Returns the events for its caller to tell. */
  List<StateEvent> events() {
    return events;
  }

  boolean isDone() {
    return done;
  }

  void done(Stored how) {
    stored = how;
    done = true;
  }

  /** Ends it with a failure, if it has not ended. */
  void failed(Throwable why) {
    if (!done) {
      failure = why;
      done = true;
    }
  }

  /** Wakes its caller. */
  void wake() {
    LockSupport.unpark(caller);
  }

  /** Returns the result, or throws what it failed with. */
  Stored result() {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException refused) {
      throw refused;
    }
    return Objects.requireNonNull(stored, "stored");
  }
}
