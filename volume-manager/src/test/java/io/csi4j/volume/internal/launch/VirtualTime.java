package io.csi4j.volume.internal.launch;

import io.csi4j.volume.internal.port.Clock;
import io.csi4j.volume.internal.port.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes when it is told to; all work is done on the thread that tells. */
final class VirtualTime implements Clock, Scheduler {

  private record Due(long at, long order, Runnable work) {}

  private static final Instant WALL = Instant.parse("2026-01-01T00:00:00Z");

  private final PriorityQueue<Due> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private long now = 1_000;
  private long orders;
  private double random = 1;

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public Instant wall() {
    return WALL.plusNanos(now);
  }

  @Override
  public void execute(Runnable work) {
    waiting.add(new Due(now, orders++, work));
  }

  @Override
  public Timer after(Duration delay, Runnable work) {
    Due due = new Due(now + delay.toNanos(), orders++, work);
    waiting.add(due);
    return () -> waiting.remove(due);
  }

  @Override
  public double random() {
    return random;
  }

  void setRandom(double value) {
    random = value;
  }

  /** Does what is due now. */
  void settle() {
    pass(Duration.ZERO);
  }

  void pass(Duration time) {
    long end = now + time.toNanos();
    while (!waiting.isEmpty() && waiting.peek().at() <= end) {
      Due next = waiting.remove();
      now = Math.max(now, next.at());
      next.work().run();
    }
    now = end;
  }

  int pending() {
    return waiting.size();
  }
}
