package io.csi4j.volume.sim;

import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.sim.Simulation.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Goes through many histories: all of them within a budget, or random ones. */
final class Explorer {

  private Explorer() {}

  /** What came of many histories. */
  static final class Tally {
    private long histories;
    private long joined;
    private long events;
    private double simulatedHours;
    private long nanos;
    private boolean complete;
    private final Map<String, Outcome> first = new LinkedHashMap<>();
    private final Map<String, Long> violations = new TreeMap<>();
    private final Map<CrashPoint, Long> crashedAt = new EnumMap<>(CrashPoint.class);

    private synchronized boolean add(Outcome outcome) {
      histories++;
      joined += outcome.joined() ? 1 : 0;
      events += outcome.events();
      simulatedHours += outcome.simulated() / 3.6e12;
      outcome
          .crashedAt()
          .forEach((point, times) -> crashedAt.merge(point, (long) times, Long::sum));
      outcome
          .violation()
          .ifPresent(
              violation -> {
                violations.merge(violation.invariant(), 1L, Long::sum);
                first.putIfAbsent(violation.invariant(), outcome);
              });
      return first.isEmpty();
    }

    void plus(Tally other) {
      histories += other.histories;
      joined += other.joined;
      events += other.events;
      simulatedHours += other.simulatedHours;
      nanos += other.nanos;
      complete = other.complete;
      other.crashedAt.forEach((point, times) -> crashedAt.merge(point, times, Long::sum));
      other.violations.forEach((id, times) -> violations.merge(id, times, Long::sum));
      other.first.forEach(first::putIfAbsent);
    }

    long histories() {
      return histories;
    }

    /** How many of them ended where another one had gone on from the same world. */
    long joined() {
      return joined;
    }

    long events() {
      return events;
    }

    /** Whether there is no other history within the budget. */
    boolean isComplete() {
      return complete;
    }

    /** The first history in which an invariant was broken. */
    Optional<Outcome> first() {
      return first.values().stream().findFirst();
    }

    /** The first history for each invariant that was broken. */
    Collection<Outcome> found() {
      return first.values();
    }

    /** How often each invariant was broken. */
    Map<String, Long> violations() {
      return violations;
    }

    Map<CrashPoint, Long> crashedAt() {
      return crashedAt;
    }

    double seconds() {
      return nanos / 1e9;
    }

    @Override
    public String toString() {
      return String.format(
          java.util.Locale.ROOT,
          "%,d histories%s, %,d of them joined, %,d events, %.1f s, %,.0f events/s,"
              + " %,.2f simulated hours/s, violations %s",
          histories,
          complete ? " (all)" : "",
          joined,
          events,
          seconds(),
          events / Math.max(1e-9, seconds()),
          simulatedHours / Math.max(1e-9, seconds()),
          violations.isEmpty() ? "none" : violations);
    }
  }

  /** When to stop before everything was gone through. */
  record Limit(long histories, double seconds, boolean atFirstViolation, int threads) {

    static Limit seconds(double seconds) {
      return new Limit(Long.MAX_VALUE, seconds, true, 1);
    }

    Limit on(int more) {
      return new Limit(histories, seconds, atFirstViolation, more);
    }
  }

  /** A source of histories that several threads take from. */
  private interface Source {
    /** Plays the next one; empty when there is none now. */
    Optional<Outcome> next();

    /** Whether there will be no other. */
    boolean isOver();
  }

  /** All histories, and from worlds that are the same only one of those that lead there. */
  static Tally exhaustive(Setup setup, Limit limit) {
    return exhaustive(setup, limit, Crossroads.create());
  }

  /** All histories, and each to its end. */
  static Tally full(Setup setup, Limit limit) {
    return exhaustive(setup, limit, null);
  }

  static Tally exhaustive(Setup setup, Limit limit, Crossroads crossroads) {
    return run(new Tree(setup, crossroads), limit);
  }

  /** Random histories with the seeds from one on, and the setups by turns. */
  static Tally random(long from, long count, Function<Long, Setup> setups, Limit limit) {
    return run(
        new Source() {
          private long next = from;

          @Override
          public Optional<Outcome> next() {
            long seed;
            synchronized (this) {
              if (next == from + count) {
                return Optional.empty();
              }
              seed = next++;
            }
            return Optional.of(Simulation.random(setups.apply(seed), seed, false));
          }

          @Override
          public synchronized boolean isOver() {
            return next == from + count;
          }
        },
        limit);
  }

  private static Tally run(Source source, Limit limit) {
    Tally tally = new Tally();
    long begin = System.nanoTime();
    BooleanSupplier spent =
        () ->
            tally.histories >= limit.histories()
                || (System.nanoTime() - begin) / 1e9 > limit.seconds();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    boolean[] stop = new boolean[1];
    for (int i = 0; i < limit.threads(); i++) {
      Thread thread =
          new Thread(
              () -> {
                while (!stop[0] && !spent.getAsBoolean()) {
                  Optional<Outcome> outcome = source.next();
                  if (outcome.isEmpty()) {
                    if (source.isOver()) {
                      return;
                    }
                    LockSupport.parkNanos(10_000);
                  } else if (!tally.add(outcome.get()) && limit.atFirstViolation()) {
                    stop[0] = true;
                  }
                }
              },
              "simulation-" + i);
      thread.setUncaughtExceptionHandler(
          (it, failure) -> {
            synchronized (failures) {
              failures.add(failure);
            }
            stop[0] = true;
          });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      join(thread);
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("The simulator itself has failed.", failures.get(0));
    }
    tally.nanos = System.nanoTime() - begin;
    tally.complete = source.isOver();
    return tally;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Exploring was interrupted.", e);
    }
  }

  /**
   * The tree of all histories. One that follows a prefix and then always takes the first choice has
   * as its children those that take another choice once, at a place behind the prefix.
   */
  private static final class Tree implements Source {

    private final Setup setup;
    private final Crossroads crossroads;
    private final Deque<int[]> prefixes = new ArrayDeque<>();
    private int playing;

    Tree(Setup setup, Crossroads crossroads) {
      this.setup = setup;
      this.crossroads = crossroads;
      prefixes.push(new int[0]);
    }

    @Override
    public Optional<Outcome> next() {
      int[] prefix;
      synchronized (this) {
        prefix = prefixes.poll();
        if (prefix == null) {
          return Optional.empty();
        }
        playing++;
      }
      try {
        Choices choices = Choices.scripted(Script.of(1, prefix));
        Outcome outcome = Simulation.play(setup, choices, false, crossroads);
        grow(prefix, choices);
        return Optional.of(outcome);
      } finally {
        synchronized (this) {
          playing--;
        }
      }
    }

    private synchronized void grow(int[] prefix, Choices choices) {
      for (int at = prefix.length; at < choices.made(); at++) {
        for (int other = 1; other < choices.arity(at); other++) {
          int[] child = Arrays.copyOf(prefix, at + 1);
          for (int i = prefix.length; i < at; i++) {
            child[i] = 0;
          }
          child[at] = other;
          prefixes.push(child);
        }
      }
    }

    @Override
    public synchronized boolean isOver() {
      return prefixes.isEmpty() && playing == 0;
    }
  }

  /** The same violation with as few choices as can be found that are not the first one. */
  static Outcome shrink(Outcome found) {
    Outcome best = found;
    Outcome before;
    do {
      before = best;
      best = cut(zeroed(shortened(best)));
    } while (!best.script().equals(before.script()));
    return best;
  }

  /** Without choices at its end. */
  private static Outcome shortened(Outcome found) {
    Outcome best = found;
    for (int length = choices(best).length / 2; length >= 1; length /= 2) {
      int[] now = choices(best);
      if (length <= now.length) {
        best = tryOut(best, Arrays.copyOf(now, now.length - length)).orElse(best);
      }
    }
    return best;
  }

  /** With the first choice instead of others. */
  private static Outcome zeroed(Outcome found) {
    Outcome best = found;
    for (int at = choices(best).length - 1; at >= 0; at--) {
      int[] now = choices(best);
      if (at < now.length && now[at] != 0) {
        now[at] = 0;
        best = tryOut(best, now).orElse(best);
      }
    }
    return best;
  }

  /** Without choices in its midst. */
  private static Outcome cut(Outcome found) {
    Outcome best = found;
    for (int size = Math.max(1, choices(best).length / 4); size >= 1; size /= 2) {
      int at = 0;
      for (int[] now = choices(best); at + size <= now.length; now = choices(best)) {
        int[] rest = new int[now.length - size];
        System.arraycopy(now, 0, rest, 0, at);
        System.arraycopy(now, at + size, rest, at, now.length - at - size);
        Optional<Outcome> shorter = tryOut(best, rest);
        best = shorter.orElse(best);
        at += shorter.isPresent() ? 0 : size;
      }
    }
    return best;
  }

  private static int[] choices(Outcome outcome) {
    return outcome.script().choices().toArray();
  }

  /** The history with these choices, if it breaks the same and is smaller. */
  private static Optional<Outcome> tryOut(Outcome best, int[] choices) {
    String invariant = best.violation().orElseThrow().invariant();
    Script script = Script.of(best.script().seed(), choices).trimmed();
    Outcome outcome = Simulation.play(best.setup(), script, false);
    Script played = outcome.script();
    boolean smaller =
        played.deviations() < best.script().deviations()
            || (played.deviations() == best.script().deviations()
                && played.choices().size() < best.script().choices().size());
    return outcome.violation().filter(it -> it.invariant().equals(invariant)).isPresent() && smaller
        ? Optional.of(outcome)
        : Optional.empty();
  }

  /** A history for people: what is broken, how to play it again, and what happened. */
  static String story(Outcome outcome) {
    Outcome traced = Simulation.play(outcome.setup(), outcome.script(), true);
    StringBuilder text = new StringBuilder(200);
    text.append("broken: ").append(outcome.violation().map(Object::toString).orElse("nothing"));
    text.append("\nsetup:  ").append(outcome.setup());
    text.append("\nscript: ").append(outcome.script());
    traced.deviations().forEach(line -> text.append("\n  ").append(line));
    traced.trace().forEach(line -> text.append("\n    ").append(line));
    return text.toString();
  }
}
