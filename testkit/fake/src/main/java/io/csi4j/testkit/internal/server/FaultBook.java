package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** The faults that are to happen, in the order they were added. */
final class FaultBook {

  private final List<Rule> rules = new CopyOnWriteArrayList<>();

  /** Adds a fault. */
  FaultRule add(Fault fault, When when) {
    Rule rule = new Rule(fault, when);
    rules.add(rule);
    return rule;
  }

  /** Whether there is none. */
  boolean isEmpty() {
    return rules.isEmpty();
  }

  /** The faults there are, in order. */
  List<FaultRule> rules() {
    return List.copyOf(rules);
  }

  /** Takes back every fault. */
  void clear() {
    rules.clear();
  }

  /**
   * Returns what happens to this call, step by step; nothing mostly. Called for one call at a time.
   */
  List<Fault> stepsFor(RecordedCall call) {
    List<Fault> steps = List.of();
    for (Rule rule : rules) {
      // Every rule counts every call that fits it, even if another rule acts.
      if (rule.when.fits(call) && rule.due() && steps.isEmpty()) {
        rule.hits.incrementAndGet();
        steps = rule.fault.steps();
      }
    }
    return steps;
  }

  private final class Rule implements FaultRule {
    private final Fault fault;
    private final When when;
    private final AtomicLong seen = new AtomicLong();
    private final AtomicLong hits = new AtomicLong();

    Rule(Fault fault, When when) {
      this.fault = fault;
      this.when = when;
    }

    /** Counts a call that fits, and says whether it is one of those meant. */
    boolean due() {
      long number = seen.incrementAndGet();
      return when.first() <= number && number <= when.last() && hits.get() < when.times();
    }

    @Override
    public Fault fault() {
      return fault;
    }

    @Override
    public When when() {
      return when;
    }

    @Override
    public long hits() {
      return hits.get();
    }

    @Override
    public void close() {
      rules.remove(this);
    }

    @Override
    public String toString() {
      return fault + " to " + when + ", acted " + hits + " time(s)";
    }
  }
}
