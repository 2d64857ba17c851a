package io.csi4j.volume.internal.plugin.registration;

import io.csi4j.volume.internal.port.Clock;
import io.csi4j.volume.internal.port.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes when it is told to; all work is done on the thread that tells. */
final class StillTime implements Clock, Scheduler {

  private record Due(long at, long order, Runnable work) {}

  private final PriorityQueue<Due> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private long now = 1_000_000_000_000L;
  private long orders;

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public Instant wall() {
    return Instant.EPOCH.plusNanos(now);
  }

  @Override
  public void execute(Runnable work) {
    after(Duration.ZERO, work);
  }

  @Override
  public Timer after(Duration delay, Runnable work) {
    Due due = new Due(now + delay.toNanos(), orders++, work);
    waiting.add(due);
    return () -> waiting.remove(due);
  }

  @Override
  public double random() {
    return 0.5;
  }

  /** Lets this time pass, and does what falls due on the way. */
  void pass(Duration time) {
    long end = now + time.toNanos();
    while (!waiting.isEmpty() && waiting.peek().at() <= end) {
      Due next = waiting.remove();
      now = next.at();
      next.work().run();
    }
    now = end;
  }

  /** How much waits for its time. */
  int waiting() {
    return waiting.size();
  }

  /** Does what is due now. */
  void settle() {
    pass(Duration.ZERO);
  }
}
