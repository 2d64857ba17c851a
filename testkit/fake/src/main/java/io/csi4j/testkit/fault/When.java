package io.csi4j.testkit.fault;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which calls a fault acts on. Immutable; each method gives a narrower one.
 *
 * <p>{@code When.calling(NODE_STAGE_VOLUME).ofVolume(id).once()} is the next staging of that
 * volume. Calls are counted by the rule, from 1, among those that fit everything else.
 *
 * @since 1.0
 */
public final class When {

  private final Set<CsiOperation> operations;
  private final List<Predicate<RecordedCall>> conditions;
  private final long first;
  private final long last;
  private final long times;

  private When(
      Set<CsiOperation> operations,
      List<Predicate<RecordedCall>> conditions,
      long first,
      long last,
      long times) {
    this.operations = Collections.unmodifiableSet(operations);
    this.conditions = List.copyOf(conditions);
    this.first = first;
    this.last = last;
    this.times = times;
  }

  /** Every call of every operation. */
  public static When anyCall() {
    return every(EnumSet.allOf(CsiOperation.class));
  }

  /** Every call of these operations. */
  public static When calling(CsiOperation operation, CsiOperation... more) {
    return every(EnumSet.of(operation, more));
  }

  private static When every(Set<CsiOperation> operations) {
    return new When(operations, List.of(), 1, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  /** Only calls that name this volume: by {@code volume_id}, as source or as the source's id. */
  public When ofVolume(VolumeId volume) {
    return where(call -> call.volume().filter(volume::equals).isPresent());
  }

  /**
   * Only calls that also satisfy this. It is asked on the thread that takes in every call, so it is
   * to answer at once, and cannot start the plugin or replace its sockets.
   */
  public When where(Predicate<RecordedCall> condition) {
    List<Predicate<RecordedCall>> all = new ArrayList<>(conditions);
    all.add(condition);
    return new When(operations, all, first, last, times);
  }

  /** Only the {@code n}th such call, or none if another rule acts on that one. */
  public When nth(long n) {
    return new When(operations, conditions, counted(n), n, 1);
  }

  /** Only from the {@code n}th such call on. */
  public When from(long n) {
    return new When(operations, conditions, counted(n), Long.MAX_VALUE, times);
  }

  private static long counted(long n) {
    if (n < 1) {
      throw new IllegalArgumentException("Calls are counted from 1, not from " + n + ".");
    }
    return n;
  }

  /** Only {@code n} times; a call on which another rule acts does not count. */
  public When times(long n) {
    if (n < 1) {
      throw new IllegalArgumentException("A fault that acts " + n + " times is none.");
    }
    return new When(operations, conditions, first, last, n);
  }

  /** Only one time. */
  public When once() {
    return times(1);
  }

  /** Whether a call fits, but for the counting. */
  public boolean fits(RecordedCall call) {
    return operations.contains(call.operation())
        && conditions.stream().allMatch(condition -> condition.test(call));
  }

  /** The first of the fitting calls, counted from 1, that is meant. */
  public long first() {
    return first;
  }

  /** The last of the fitting calls that is meant; {@code Long.MAX_VALUE} if none is the last. */
  public long last() {
    return last;
  }

  /** How many of the fitting calls are meant, from the first to the last. */
  public long times() {
    return times;
  }

  /** The operations that are meant. */
  public Set<CsiOperation> operations() {
    return operations;
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    out.append(operations.size() == CsiOperation.values().length ? "any call" : operations);
    if (!conditions.isEmpty()) {
      out.append(" with ").append(conditions.size()).append(" condition(s)");
    }
    if (first == last) {
      return out.append(", number ").append(first).toString();
    }
    if (first > 1) {
      out.append(" from the ").append(first).append("th");
    }
    return out.append(times == Long.MAX_VALUE ? "" : ", " + times + " time(s)").toString();
  }
}
