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
 * The known faults of each subject, and who tells them. Each fault begins once and ends once,
 * however often it is told. Safe for many threads.
 *
 * @param <K> the subjects: volumes, or plugins with their storage
 * @param <S> those who tell
 * @param <E> what is told; two entries of one kind are the same fault
 */
public final class HealthBook<K, S, E> {

  /** After so many lists without a fault it is over: pages of a list are no consistent picture. */
  private static final int ROUNDS = 2;

  private final Function<E, Object> kind;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, Map<Fault, Known<S, E>>> known = new HashMap<>();

  /** A fault of a subject: two entries of one source and one kind are the same fault. */
  private record Fault(Object source, Object kind) {}

  /**
   * A fault that has begun and is not over.
   *
   * @param entry as it was told last
   * @param source the one who tells it
   * @param since when it was told first
   * @param asOf when it was told last
   * @param missed the number of lists without it since
   */
  public record Known<S, E>(E entry, S source, Instant since, Instant asOf, int missed) {

    private Known<S, E> missedOnce() {
      return new Known<>(entry, source, since, asOf, missed + 1);
    }
  }

  /**
   * News.
   *
   * @param subject of what
   * @param fault the fault
   * @param isOver whether it is over; it has begun otherwise
   */
  public record Change<K, S, E>(K subject, Known<S, E> fault, boolean isOver) {}

  /**
   * Nothing is known.
   *
   * @param kind what tells one kind of fault from the other: its status and reason
   */
  public HealthBook(Function<E, Object> kind) {
    this.kind = kind;
  }

  /** Takes in all faults that one who was asked tells of a subject. */
  public List<Change<K, S, E>> answered(K subject, S source, List<E> entries, Instant now) {
    return told(subject, source, entries, now, fault -> true);
  }

  /**
   * Takes in a whole list of what is not well. A fault that is not in it is over when the next list
   * does not have it either.
   *
   * @param asked the subjects that the list is about; others are passed over
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

  /** Forgets all subjects but these; the faults of the others are over. */
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

  /** Forgets one subject; its faults are over. */
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

  /** Returns what is wrong with a subject, as far as is known. */
  public List<Known<S, E>> of(K subject) {
    lock.lock();
    try {
      return List.copyOf(known.getOrDefault(subject, Map.of()).values());
    } finally {
      lock.unlock();
    }
  }
}
