package io.csi4j.volume.sim;

import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Time and threads: everything that is to be done waits in one queue, in the order of when it is
 * due, and one thread does it. Time passes only when nothing is due.
 */
final class SimTime {

  /** Never zero, so that nobody takes a number of nanoseconds for a duration. */
  private static final long BEGIN = 1_000_000_000_000_000L;

  private static final Instant WALL = Instant.parse("2026-01-01T00:00:00Z");

  private final Choices choices;
  private final boolean shuffling;
  private final Consumer<Throwable> uncaught;
  private final PriorityQueue<Item> queue = new PriorityQueue<>();
  private long now = BEGIN;
  private long count;
  private Duration wallOffset = Duration.ZERO;

  SimTime(Choices choices, boolean shuffling, Consumer<Throwable> uncaught) {
    this.choices = choices;
    this.shuffling = shuffling;
    this.uncaught = uncaught;
  }

  /** Something that is to be done. */
  static final class Item implements Comparable<Item>, Scheduler.Timer {
    private final long due;
    private final long order;
    private final Life life;
    private final Runnable work;
    private boolean cancelled;

    Item(long due, long order, Life life, Runnable work) {
      this.due = due;
      this.order = order;
      this.life = life;
      this.work = work;
    }

    @Override
    public int compareTo(Item other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }

    @Override
    public void cancel() {
      cancelled = true;
    }

    long due() {
      return due;
    }

    Runnable work() {
      return work;
    }

    boolean isVoid() {
      return cancelled || (life != null && life.isDead());
    }
  }

  long nanos() {
    return now;
  }

  /** A time since the beginning, in words only for who reads them. */
  record Elapsed(long nanos) {
    @Override
    public String toString() {
      return nanos / 1_000_000 + "ms";
    }
  }

  Elapsed elapsed() {
    return new Elapsed(now - BEGIN);
  }

  /** What is to be done, in the order in which it will be. */
  List<Item> waiting() {
    return queue.stream().filter(item -> !item.isVoid()).sorted().toList();
  }

  /** What of it will be done when no process of the host lives. */
  List<Item> waitingWithout() {
    List<Item> all = new ArrayList<>();
    for (Item item : queue) {
      if (item.life == null && !item.cancelled) {
        all.add(item);
      }
    }
    all.sort(null);
    return all;
  }

  /** Lets the clock on the wall jump. */
  void jumpWall(Duration by) {
    wallOffset = wallOffset.plus(by);
  }

  /** Lets time pass in which nothing is done, as for a machine that is paused. */
  void pause(Duration time) {
    now += time.toNanos();
  }

  /** Does something later, whoever is alive then. */
  Scheduler.Timer later(Duration delay, Runnable work) {
    return add(delay, null, work);
  }

  /** Does something later, if this life goes on until then. */
  Scheduler.Timer later(Duration delay, Life life, Runnable work) {
    return add(delay, life, work);
  }

  private Item add(Duration delay, Life life, Runnable work) {
    long due = now + Math.max(0, delay.toNanos());
    Item item = new Item(due, count++, life, work);
    queue.add(item);
    return item;
  }

  /** Does what is due next; false when nothing is left to do. */
  boolean step() {
    return step(Long.MAX_VALUE);
  }

  private boolean step(long limit) {
    Item item = next();
    if (item == null) {
      return false;
    }
    if (item.due > limit) {
      queue.add(item);
      return false;
    }
    now = Math.max(now, item.due);
    try {
      item.work.run();
    } catch (Life.Crash crash) {
      // Whoever asked for this step sees that the life has ended.
    } catch (Seams.Torn torn) {
      // As in a scheduler that logs it.
    } catch (RuntimeException | Error failure) {
      uncaught.accept(failure);
    }
    return true;
  }

  private Item next() {
    Item first = poll();
    if (first == null || !shuffling) {
      return first;
    }
    List<Item> ready = new ArrayList<>(List.of(first));
    while (ready.size() < 3) {
      Item more = poll();
      if (more == null) {
        break;
      }
      ready.add(more);
      if (more.due > Math.max(now, first.due)) {
        break;
      }
    }
    int candidates = ready.size();
    if (ready.get(candidates - 1).due > Math.max(now, first.due)) {
      candidates--;
    }
    Item chosen = ready.remove(choices.rarely("order", Math.max(1, candidates), 0.2));
    queue.addAll(ready);
    return chosen;
  }

  private Item poll() {
    while (true) {
      Item item = queue.poll();
      if (item == null || !item.isVoid()) {
        return item;
      }
    }
  }

  /** Goes on until this is so, or this much time has passed, or nothing is left to do. */
  void until(BooleanSupplier enough, Duration limit) {
    long end = now + limit.toNanos();
    while (!enough.getAsBoolean()) {
      if (!step(end)) {
        if (!enough.getAsBoolean()) {
          now = Math.max(now, end);
        }
        return;
      }
    }
  }

  /** Time as a process sees it. */
  Clock clock() {
    return new Clock() {
      @Override
      public long nanos() {
        return now;
      }

      @Override
      public Instant wall() {
        return WALL.plusNanos(now - BEGIN).plus(wallOffset);
      }
    };
  }

  /** Does something later, and again for as long as it throws what a seam has thrown. */
  private Scheduler.Timer again(Duration delay, Life life, Runnable work) {
    AtomicReference<Item> next = new AtomicReference<>();
    Runnable repeated =
        new Runnable() {
          @Override
          public void run() {
            try {
              work.run();
            } catch (Seams.Torn torn) {
              next.set(add(Duration.ofSeconds(1), life, this));
            }
          }
        };
    next.set(add(delay, life, repeated));
    return () -> next.get().cancel();
  }

  /** The threads of a process. */
  Scheduler scheduler(Life life) {
    return new Scheduler() {
      @Override
      public void execute(Runnable work) {
        life.check();
        add(Duration.ZERO, life, work);
      }

      @Override
      public Timer after(Duration delay, Runnable work) {
        life.check();
        return again(delay, life, work);
      }

      @Override
      public double random() {
        return choices.jitter();
      }
    };
  }
}
