package io.csi4j.volume.internal.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Time that passes only when a test lets it, and one thread, which is the test's own. */
public final class VirtualTime implements Clock, Scheduler {

  /** When it begins. */
  public static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  /** Near the end of the numbers, where time wraps round. */
  private static final long FIRST = Long.MAX_VALUE - Duration.ofMinutes(1).toNanos();

  private record Due(long at, long order, Runnable work) {}

  private final PriorityQueue<Due> waiting =
      new PriorityQueue<>(
          Comparator.<Due>comparingLong(due -> due.at() - FIRST).thenComparingLong(Due::order));
  private long now = FIRST;
  private long orders;
  private double random = 0.5;

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public Instant wall() {
    return BEGIN.plusNanos(now - FIRST);
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

  /** What is drawn from now on. */
  public void setRandom(double value) {
    random = value;
  }

  /** How much waits to be done, now or later. */
  public int waiting() {
    return waiting.size();
  }

  /** When what waits is due, from now on. */
  public List<Duration> timers() {
    return waiting.stream().map(due -> Duration.ofNanos(due.at() - now)).sorted().toList();
  }

  /** Does what is due now. */
  public void settle() {
    pass(Duration.ZERO);
  }

  /** Lets this much time pass, and what is due on the way be done. */
  public void pass(Duration time) {
    long end = now + time.toNanos();
    while (!waiting.isEmpty() && waiting.peek().at() - end <= 0) {
      Due next = waiting.remove();
      now = next.at() - now > 0 ? next.at() : now;
      next.work().run();
    }
    now = end;
  }
}
