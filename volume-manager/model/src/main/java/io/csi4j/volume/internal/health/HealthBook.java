package io.csi4j.volume.internal.health;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The known faults of each subject, with their sources. A fault that is reported repeatedly begins
 * only once and ends only once. Thread-safe.
 *
 * @param <K> the type of subjects, which are volumes or plugins with their storage
 * @param <S> the type of sources
 * @param <E> the type of reported entries
 */
public final class HealthBook<K, S, E> {

  /**
   * The number of consecutive lists that must not contain a fault before it counts as ended. One
   * list does not suffice, because the pages of a list are not a consistent snapshot.
   */
  private static final int ROUNDS = 2;

  private final Function<E, Object> kind;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, Map<Fault, Known<S, E>>> known = new HashMap<>();

  /**
   * The identity of a fault of a subject. Entries with the same source and kind report the same
   * fault.
   */
  private record Fault(Object source, Object kind) {}

  /**
   * A fault that has begun and not ended.
   *
   * @param entry the last report of the fault
   * @param source the source of the reports
   * @param since the time of the first report
   * @param asOf the time of the last report
   * @param missed the number of lists since the last report that did not contain the fault
   */
  public record Known<S, E>(E entry, S source, Instant since, Instant asOf, int missed) {

    private Known<S, E> missedOnce() {
      return new Known<>(entry, source, since, asOf, missed + 1);
    }
  }

  /**
   * The beginning or end of a fault.
   *
   * @param subject the subject of the fault
   * @param fault the fault
   * @param isOver whether the fault has ended; otherwise it has begun
   */
  public record Change<K, S, E>(K subject, Known<S, E> fault, boolean isOver) {}

  /**
   * Creates a book without faults.
   *
   * @param kind returns the kind of the fault that an entry reports, such as its status and reason
   */
  public HealthBook(Function<E, Object> kind) {
    this.kind = kind;
  }

  /**
   * Records all faults that a source reports for one subject. The source's other faults of the
   * subject end. Returns the changes.
   */
  public List<Change<K, S, E>> answered(K subject, S source, List<E> entries, Instant now) {
    return told(subject, source, entries, now, fault -> true);
  }

  /**
   * Records a complete list of unhealthy subjects. A known fault that is missing in this list ends
   * if it is also missing in the next list. Returns the changes.
   *
   * @param asked the subjects that the list covers; all other subjects are ignored
   */
  public List<Change<K, S, E>> listed(S source, Map<K, List<E>> list, Set<K> asked, Instant now) {
    List<Change<K, S, E>> news = new ArrayList<>();
    for (K subject : asked) {
      news.addAll(
          told(
              subject,
              source,
              list.getOrDefault(subject, List.of()),
              now,
              fault -> fault.missed() + 1 >= ROUNDS));
    }
    return news;
  }

  private List<Change<K, S, E>> told(
      K subject, S source, List<E> entries, Instant now, Predicate<Known<S, E>> isOver) {
    List<Change<K, S, E>> news = new ArrayList<>();
    lock.lock();
    try {
      Map<Fault, Known<S, E>> before = known.getOrDefault(subject, Map.of());
      Map<Fault, Known<S, E>> after = new LinkedHashMap<>();
      for (E entry : entries) {
        Fault fault = new Fault(source, kind.apply(entry));
        Known<S, E> old = before.get(fault);
        Known<S, E> there = new Known<>(entry, source, old == null ? now : old.since(), now, 0);
        if (after.put(fault, there) == null && old == null) {
          news.add(new Change<>(subject, there, false));
        }
      }
      before.forEach(
          (fault, old) -> {
            if (after.containsKey(fault)) {
              return;
            }
            if (!fault.source().equals(source)) {
              after.put(fault, old);
            } else if (isOver.test(old)) {
              news.add(new Change<>(subject, old, true));
            } else {
              after.put(fault, old.missedOnce());
            }
          });
      if (after.isEmpty()) {
        known.remove(subject);
      } else {
        known.put(subject, after);
      }
    } finally {
      lock.unlock();
    }
    return news;
  }

  /** Removes all subjects except those to keep. Returns the end of each removed fault. */
  public List<Change<K, S, E>> keepOnly(Predicate<K> kept) {
    List<Change<K, S, E>> news = new ArrayList<>();
    lock.lock();
    try {
      for (K subject : new HashSet<>(known.keySet())) {
        if (!kept.test(subject)) {
          known.remove(subject).values().forEach(old -> news.add(new Change<>(subject, old, true)));
        }
      }
    } finally {
      lock.unlock();
    }
    return news;
  }

  /** Removes one subject. Returns the end of each of its faults. */
  public List<Change<K, S, E>> forget(K subject) {
    lock.lock();
    try {
      return known.getOrDefault(subject, Map.of()).values().stream()
          .map(old -> new Change<>(subject, old, true))
          .toList();
    } finally {
      known.remove(subject);
      lock.unlock();
    }
  }

  /** Returns the known faults of a subject. */
  public List<Known<S, E>> of(K subject) {
    lock.lock();
    try {
      return List.copyOf(known.getOrDefault(subject, Map.of()).values());
    } finally {
      lock.unlock();
    }
  }
}
