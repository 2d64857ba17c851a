package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.internal.journal.PluginJournal.Arrival;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.List;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** The injected faults, in the order in which they were added. */
public final class FaultBook {

  /** Maximum number of calls that a rule remembers. */
  private static final int KNOWN_CALLS = 10_000;

  private final List<Rule> rules = new CopyOnWriteArrayList<>();

  public FaultRule add(Fault fault, When when) {
    Rule rule = new Rule(fault, when);
    rules.add(rule);
    return rule;
  }

  public List<FaultRule> rules() {
    return List.copyOf(rules);
  }

  public void clear() {
    rules.clear();
  }

  /**
   * Returns the steps of the fault that acts on this call; usually, there are none. Called before
   * the journal records the call, and never concurrently.
   */
  public List<Fault> stepsFor(PluginJournal journal, Arrival arrival) {
    if (rules.isEmpty()) {
      return List.of();
    }
    try {
      return stepsFor(journal.preview(arrival));
    } catch (RuntimeException | Error e) {
      // The condition of a fault is code of the test, and may throw an exception.
      return Fault.fail(FaultedCall.INTERNAL, "The condition of a fault threw an exception: " + e)
          .steps();
    }
  }

  private List<Fault> stepsFor(RecordedCall call) {
    List<Fault> steps = List.of();
    for (Rule rule : rules) {
      // Every rule counts every call that satisfies its conditions, even if another rule acts on
      // the call.
      if (rule.when.fits(call) && rule.due() && steps.isEmpty()) {
        rule.actOn(call.number());
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
    private final NavigableSet<Long> acted = new ConcurrentSkipListSet<>();

    Rule(Fault fault, When when) {
      this.fault = fault;
      this.when = when;
    }

    private void actOn(long call) {
      acted.add(call);
      if (hits.incrementAndGet() > KNOWN_CALLS) {
        var unused = acted.pollFirst();
      }
    }

    /** Counts a call that satisfies the conditions, and returns whether the rule selects it. */
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
    public boolean actedOn(long call) {
      return acted.contains(call);
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
