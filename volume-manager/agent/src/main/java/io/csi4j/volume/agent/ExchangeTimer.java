package io.csi4j.volume.agent;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Rounds;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Starts the exchanges of an agent at intervals, one at a time, and at once when it is woken. A
 * failure is reported once until its kind changes. A failure does not make the interval longer,
 * because a node that was cut off is already late.
 */
final class ExchangeTimer implements AutoCloseable {

  private static final String THREADS = "csi4j-node-agent";
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final OnDemandThreads threads = new OnDemandThreads(THREADS, 1);
  private final Rounds rounds;
  private final Runnable exchange;
  private final Consumer<OperatorMessage> listener;

  /** Whether an exchange is requested that has not begun yet. */
  private final AtomicBoolean isWoken = new AtomicBoolean();

  private volatile boolean isClosed;

  /** The kind of the last failure; read and written in rounds. */
  private Optional<OperatorCode> reported = Optional.empty();

  private ExchangeTimer(Duration interval, Runnable exchange, Consumer<OperatorMessage> listener) {
    this.exchange = exchange;
    this.listener = listener;
    rounds = new Rounds(threads, Rounds.about(interval));
  }

  /** Makes a timer that begins when it is woken for the first time. */
  static ExchangeTimer of(
      Duration interval, Runnable exchange, Consumer<OperatorMessage> listener) {
    return new ExchangeTimer(interval, exchange, listener);
  }

  /** Begins an exchange at once, or after the one that is under way. */
  void wake() {
    if (!isWoken.getAndSet(true)) {
      rounds.plan(Duration.ZERO, this::round);
    }
  }

  private void round() {
    isWoken.set(false);
    if (isClosed) {
      return;
    }
    try {
      exchange.run();
      reported = Optional.empty();
    } catch (RuntimeException failed) {
      report(failed);
    } finally {
      if (!isWoken.get()) {
        rounds.plan(this::round);
      }
      if (isWoken.get()) {
        // A wake-up during the planning may have been replaced by the pause.
        rounds.plan(Duration.ZERO, this::round);
      }
    }
  }

  private void report(RuntimeException failed) {
    OperatorMessage message =
        failed instanceof OperatorException known
            ? known.operatorMessage()
            : Messages.of(
                OperatorCode.STEP_FAILED,
                Subject.of("exchanging with the control plane"),
                String.valueOf(failed));
    if (isClosed || reported.equals(Optional.of(message.code()))) {
      return;
    }
    reported = Optional.of(message.code());
    listener.accept(message);
  }

  /** Begins no further exchange, and interrupts the one that is under way. */
  @Override
  public void close() {
    isClosed = true;
    rounds.close();
    threads.stop(CLOSING);
  }
}
