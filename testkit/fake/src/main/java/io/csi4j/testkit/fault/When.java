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
 * Selects the calls on which a fault acts. A selection is immutable; each method returns a narrower
 * selection.
 *
 * <p>{@code When.calling(NODE_STAGE_VOLUME).ofVolume(id).once()} is the next staging of that
 * volume. Counting begins at 1, and includes only the calls that satisfy all other conditions.
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

  /** Selects every call of every operation. */
  public static When anyCall() {
    return every(EnumSet.allOf(CsiOperation.class));
  }

  /** Selects every call of these operations. */
  public static When calling(CsiOperation operation, CsiOperation... more) {
    return every(EnumSet.of(operation, more));
  }

  private static When every(Set<CsiOperation> operations) {
    return new When(operations, List.of(), 1, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  /**
   * Selects only calls that name this volume as {@code volume_id} or as the source of a new object.
   */
  public When ofVolume(VolumeId volume) {
    return where(call -> call.volume().filter(volume::equals).isPresent());
  }

  /**
   * Selects only calls that also satisfy this condition. The condition is evaluated on the thread
   * that receives every call, so it must return immediately, and must not start the plugin or
   * replace its sockets.
   */
  public When where(Predicate<RecordedCall> condition) {
    List<Predicate<RecordedCall>> all = new ArrayList<>(conditions);
    all.add(condition);
    return new When(operations, all, first, last, times);
  }

  /**
   * Selects only the {@code n}th call that satisfies the conditions, or no call if another rule
   * acts on that call.
   */
  public When nth(long n) {
    return new When(operations, conditions, counted(n), n, 1);
  }

  /** Selects only the {@code n}th call that satisfies the conditions, and all later ones. */
  public When from(long n) {
    return new When(operations, conditions, counted(n), Long.MAX_VALUE, times);
  }

  private static long counted(long n) {
    if (n < 1) {
      throw new IllegalArgumentException("Call numbers start at 1, not at " + n + ".");
    }
    return n;
  }

  /** Selects only the first {@code n} calls. A call on which another rule acts does not count. */
  public When times(long n) {
    if (n < 1) {
      throw new IllegalArgumentException("A fault must act at least once, not " + n + " times.");
    }
    return new When(operations, conditions, first, last, n);
  }

  /** Selects only one call. */
  public When once() {
    return times(1);
  }

  /** Returns whether a call satisfies all conditions. Counts are ignored. */
  public boolean fits(RecordedCall call) {
    return operations.contains(call.operation())
        && conditions.stream().allMatch(condition -> condition.test(call));
  }

  /**
   * Returns the number of the first selected call. The number counts the calls that satisfy the
   * conditions, from 1.
   */
  public long first() {
    return first;
  }

  /**
   * Returns the number of the last selected call. The number counts the calls that satisfy the
   * conditions, from 1; {@code Long.MAX_VALUE} means no limit.
   */
  public long last() {
    return last;
  }

  /** Returns the maximum number of calls on which the fault acts. */
  public long times() {
    return times;
  }

  /** Returns the selected operations. */
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
