package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.port.Clock;
import io.csi4j.volume.internal.port.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Time that passes when a test says so; what is to be done waits until the test lets it be done.
 */
final class StandingTime implements Clock, Scheduler {

  static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private record Due(long at, long order, Runnable work) {}

  private final PriorityQueue<Due> due =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private long now = 1_000_000_000_000L;
  private long orders;

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public Instant wall() {
    return BEGIN.plusNanos(now - 1_000_000_000_000L);
  }

  @Override
  public void execute(Runnable work) {
    Timer ignored = after(Duration.ZERO, work);
  }

  @Override
  public Timer after(Duration delay, Runnable work) {
    Due one = new Due(now + delay.toNanos(), orders++, work);
    due.add(one);
    return () -> due.remove(one);
  }

  @Override
  public double random() {
    return 0.5;
  }

  /** How many things are to be done, now or later. */
  int waiting() {
    return due.size();
  }

  /** Does all that is due. */
  void settle() {
    pass(Duration.ZERO);
  }

  /** Lets this time pass, and does what falls due. */
  void pass(Duration time) {
    long end = now + time.toNanos();
    for (Due next = due.peek(); next != null && next.at() <= end; next = due.peek()) {
      due.remove();
      now = Math.max(now, next.at());
      next.work().run();
    }
    now = end;
  }

  /** When the timers ring that wait, from now on. */
  List<Duration> timers() {
    return new ArrayList<>(
        due.stream().map(one -> Duration.ofNanos(one.at() - now)).sorted().toList());
  }
}
