package io.csi4j.volume.internal.real;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.time.Scheduler.Timer;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A call that was asked for and gets exactly one answer. */
final class OpenCall {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private final NodeCall call;
  private final String instance;
  private final long began;
  private final Consumer<Answer> then;
  private final Consumer<OpenCall> whenOver;
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private volatile @Nullable Timer timer;

  private enum State {
    WAITING,
    SENT,
    ANSWERED
  }

  /**
   * A call that waits.
   *
   * @param instance the process that it is meant for; empty when that is not known
   * @param began when, by the manager's clock
   */
  OpenCall(
      NodeCall call,
      String instance,
      long began,
      Consumer<Answer> then,
      Consumer<OpenCall> whenOver) {
    this.call = call;
    this.instance = instance;
    this.began = began;
    this.then = then;
    this.whenOver = whenOver;
  }

  NodeCall call() {
    return call;
  }

  String instance() {
    return instance;
  }

  long began() {
    return began;
  }

  boolean isWaiting() {
    return state.get() == State.WAITING;
  }

  /** The timer that gives it up while it waits. */
  void timer(Timer timer) {
    this.timer = timer;
    if (!isWaiting()) {
      timer.cancel();
    }
  }

  /** From now on it counts as sent; false if it was answered meanwhile. */
  boolean send() {
    boolean mine = state.compareAndSet(State.WAITING, State.SENT);
    cancelTimer();
    return mine;
  }

  /** Answers that it was not sent, unless it was. */
  void refuse(StatusCode code, String text) {
    refuse(new Answer.Failed(code, false, text, Optional.empty()));
  }

  /** Answers that it was not sent, unless it was. */
  void refuse(Answer.Failed answer) {
    if (state.compareAndSet(State.WAITING, State.ANSWERED)) {
      cancelTimer();
      tell(answer);
    }
  }

  /** Answers what became of it after it was sent. */
  void end(Answer answer) {
    if (state.compareAndSet(State.SENT, State.ANSWERED)) {
      tell(answer);
    }
  }

  private void tell(Answer answer) {
    whenOver.accept(this);
    try {
      then.accept(answer);
    } catch (RejectedExecutionException closed) {
      // The adapter is gone: the effect of the call is on record as in doubt.
    } catch (RuntimeException | Error failed) {
      LOGGER.log(Level.ERROR, "An answer of a plugin could not be taken in. Report this.", failed);
    }
  }

  private void cancelTimer() {
    Timer set = timer;
    if (set != null) {
      set.cancel();
    }
  }
}
