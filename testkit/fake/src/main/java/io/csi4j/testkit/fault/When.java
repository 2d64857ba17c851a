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
  private final long times;

  private When(
      Set<CsiOperation> operations,
      List<Predicate<RecordedCall>> conditions,
      long first,
      long times) {
    this.operations = Collections.unmodifiableSet(operations);
    this.conditions = List.copyOf(conditions);
    this.first = first;
    this.times = times;
  }

  /** Every call of every operation. */
  public static When anyCall() {
    return new When(EnumSet.allOf(CsiOperation.class), List.of(), 1, Long.MAX_VALUE);
  }

  /** Every call of these operations. */
  public static When calling(CsiOperation operation, CsiOperation... more) {
    return new When(EnumSet.of(operation, more), List.of(), 1, Long.MAX_VALUE);
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
    return new When(operations, all, first, times);
  }

  /** Only the {@code n}th such call. */
  public When nth(long n) {
    return from(n).times(1);
  }

  /** Only from the {@code n}th such call on. */
  public When from(long n) {
    if (n < 1) {
      throw new IllegalArgumentException("Calls are counted from 1, not from " + n + ".");
    }
    return new When(operations, conditions, n, times);
  }

  /** Only {@code n} times. */
  public When times(long n) {
    if (n < 1) {
      throw new IllegalArgumentException("A fault that acts " + n + " times is none.");
    }
    return new When(operations, conditions, first, n);
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

  /** How many of the fitting calls are meant, from the first. */
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
    if (first > 1) {
      out.append(" from the ").append(first).append("th");
    }
    return out.append(times == Long.MAX_VALUE ? "" : ", " + times + " time(s)").toString();
  }
}
