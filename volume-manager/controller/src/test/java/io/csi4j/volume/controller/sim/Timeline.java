package io.csi4j.volume.controller.sim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual time for real code on real threads. One thread runs at a time: the one whose event is the
 * next. A thread gives the others their turn when it sleeps or waits, and nowhere else, so a seed
 * plays the same history again.
 */
final class Timeline {

  /** Ends a thread of a process that was killed. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  /** A process: threads that are killed and stopped together. */
  static class SimProcess {
    private final Deque<Event> blocked = new ArrayDeque<>();
    private boolean isDead;
    private long stoppedUntil;
    private Worker exclusive;
    private long steps;
    private long haltsAt;
    private Runnable halt;

    /** Does something, such as killing the process, right before its n-th step from now. */
    void haltAt(long n, Runnable action) {
      haltsAt = steps + n;
      halt = action;
    }

    /** Takes that back, if the step was not reached. */
    void haltsNoMore() {
      haltsAt = 0;
    }

    boolean isDead() {
      return isDead;
    }
  }

  /** A thing that happens at a time; its order decides between those of one time. */
  static final class Event implements Comparable<Event> {
    private long at;
    private final long order;
    private final SimProcess process;
    private final Runnable task;
    private final Worker worker;
    private final long ticket;
    private boolean isCancelled;

    private Event(
        long at, long order, SimProcess process, Runnable task, Worker worker, long ticket) {
      this.at = at;
      this.order = order;
      this.process = process;
      this.task = task;
      this.worker = worker;
      this.ticket = ticket;
    }

    void cancel() {
      isCancelled = true;
    }

    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  /** A thread, which runs one task after the other. */
  private static final class Worker {
    private Thread thread;
    private Timeline timeline;
    private SimProcess process;
    private volatile Runnable task;
    private long ticket;

    void live() {
      while (true) {
        while (task == null) {
          LockSupport.park(this);
        }
        Timeline mine = timeline;
        mine.await(this);
        Runnable now = task;
        try {
          now.run();
        } catch (Killed killed) {
          // Its process has ended.
        } catch (Throwable failure) {
          mine.broken(failure);
        }
        task = null;
        mine.ended(this);
      }
    }
  }

  /** The threads of one simulating thread, which are used again. */
  private static final ThreadLocal<Deque<Worker>> IDLE = ThreadLocal.withInitial(ArrayDeque::new);

  private final Thread main = Thread.currentThread();
  private final Deque<Worker> idle = IDLE.get();
  private final Set<Worker> active = new HashSet<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SplittableRandom random;
  private volatile Object baton = main;
  private Worker current;
  private Throwable broken;
  private long now = Duration.ofDays(1).toNanos();
  private long end;
  private long orders;
  private long steps;

  Timeline(long seed) {
    random = new SplittableRandom(seed);
  }

  long now() {
    return now;
  }

  /** The number of sleeps so far. */
  long steps() {
    return steps;
  }

  int pick(int n) {
    return random.nextInt(n);
  }

  double random() {
    return random.nextDouble();
  }

  /** Plays what happens in this time. */
  void play(Duration time) {
    end = now + time.toNanos();
    pass(null);
    if (broken instanceof AssertionError violation) {
      throw violation;
    }
    if (broken != null) {
      throw new AssertionError("a thread fell over: " + broken, broken);
    }
    now = Math.max(now, end);
  }

  /** Ends all threads, so that others can use them. */
  void close(List<SimProcess> all) {
    all.forEach(this::kill);
    for (Worker each : new ArrayList<>(active)) {
      each.process.isDead = true;
      wake(each);
    }
    broken = null;
    end = Long.MAX_VALUE;
    while (!active.isEmpty()) {
      pass(null);
      broken = null;
    }
  }

  /** Runs a task of a process after some time, on a thread of its own. */
  Event after(SimProcess process, long nanos, Runnable task) {
    Event event = new Event(now + nanos, orders++, process, task, null, 0);
    events.add(event);
    return event;
  }

  /** Ends all that a process does. */
  void kill(SimProcess process) {
    process.isDead = true;
    process.stoppedUntil = 0;
    new ArrayList<>(active).stream().filter(each -> each.process == process).forEach(this::wake);
    if (current != null && current.process == process) {
      throw new Killed();
    }
  }

  /** A process stands still for some time, with all its threads and timers. */
  void stop(SimProcess process, long nanos) {
    process.stoppedUntil = Math.max(process.stoppedUntil, now + nanos);
  }

  private void wake(Worker worker) {
    if (worker != current) {
      events.add(new Event(now, orders++, worker.process, null, worker, ++worker.ticket));
    }
  }

  /** The current thread sleeps. */
  void sleep(long nanos) {
    Worker me = current;
    steps++;
    if (++me.process.steps == me.process.haltsAt) {
      me.process.halt.run();
    }
    events.add(new Event(now + nanos, orders++, me.process, null, me, ++me.ticket));
    pass(me);
    if (me.process.isDead) {
      throw new Killed();
    }
  }

  /** The same, while no other thread of the process runs: this one may have one of its locks. */
  void sleepAlone(long nanos) {
    Worker me = current;
    me.process.exclusive = me;
    try {
      sleep(nanos);
    } finally {
      me.process.exclusive = null;
      for (Event each : me.process.blocked) {
        each.at = now;
        events.add(each);
      }
      me.process.blocked.clear();
    }
  }

  /** Ends the current thread if its process has ended. */
  void live() {
    if (current.process.isDead) {
      throw new Killed();
    }
  }

  /** The current thread waits for the end of something. */
  <T> T await(CompletableFuture<T> future) {
    Worker me = current;
    live();
    if (!future.isDone()) {
      long ticket = ++me.ticket;
      future.whenComplete(
          (value, thrown) -> events.add(new Event(now, orders++, me.process, null, me, ticket)));
      pass(me);
      live();
    }
    try {
      return future.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }

  // ---- whose turn it is

  /** Ends it all after the current step. */
  void broken(Throwable failure) {
    if (broken == null) {
      broken = failure;
    }
  }

  private void ended(Worker worker) {
    active.remove(worker);
    idle.push(worker);
    pass(null);
  }

  /** Gives the turn to the thread of the next event, and waits for that of this thread. */
  private void pass(Worker me) {
    boolean isMain = Thread.currentThread() == main;
    Event next = next();
    if (next == null) {
      current = null;
      if (isMain) {
        return;
      }
      baton = main;
      LockSupport.unpark(main);
    } else {
      Worker worker = next.worker == null ? begun(next) : next.worker;
      current = worker;
      if (worker == me) {
        return;
      }
      baton = worker;
      LockSupport.unpark(worker.thread);
    }
    if (isMain) {
      while (baton != main) {
        LockSupport.park(this);
      }
    } else if (me != null) {
      await(me);
    }
  }

  private void await(Worker me) {
    while (baton != me) {
      LockSupport.park(this);
    }
  }

  private Worker begun(Event event) {
    Worker worker = idle.poll();
    if (worker == null) {
      worker = new Worker();
      worker.thread = new Thread(worker::live, "csi4j-volume-sim-plane");
      worker.thread.setDaemon(true);
      worker.thread.start();
    }
    worker.timeline = this;
    worker.process = event.process;
    worker.ticket++;
    active.add(worker);
    worker.task = event.task;
    return worker;
  }

  private Event next() {
    while (broken == null) {
      Event event = events.peek();
      if (event == null || event.at > end) {
        return null;
      }
      events.remove();
      now = Math.max(now, event.at);
      SimProcess process = event.process;
      boolean isOver =
          event.isCancelled
              || (event.worker == null
                  ? process.isDead
                  : event.ticket != event.worker.ticket || !active.contains(event.worker));
      if (isOver) {
        continue;
      }
      if (process.stoppedUntil > now) {
        event.at = process.stoppedUntil;
        events.add(event);
      } else if (process.exclusive != null && process.exclusive != event.worker) {
        process.blocked.add(event);
      } else {
        return event;
      }
    }
    return null;
  }
}
