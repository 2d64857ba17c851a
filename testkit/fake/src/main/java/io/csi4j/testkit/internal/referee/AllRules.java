package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;

/** Applies all rules of the referee. */
public final class AllRules {

  private AllRules() {}

  public static Verdict judge(List<JournalEvent> events) {
    return judge(events, PluginShape.nodeOnly());
  }

  /**
   * Judges these events, which must be ordered from oldest to newest. The quirks of the shape
   * {@code told} apply until an event contains another shape.
   */
  public static Verdict judge(List<JournalEvent> events, PluginShape told) {
    DutyRule.Hearing hearing = new DutyRule.Hearing(told);
    List<DutyRule> rules = rules(hearing);
    events.forEach(event -> read(event, hearing.world(), rules));
    rules.forEach(DutyRule::finished);
    return hearing.verdict().verdict();
  }

  static List<DutyRule> rules(DutyRule.Hearing hearing) {
    return List.of(
        new RequiredFieldRules(hearing),
        new SizeRules(hearing),
        new PluginIdRules(hearing),
        new IntroductionRules(hearing),
        new OfferRules(hearing),
        new ConcurrencyRules(hearing),
        new OrderRules(hearing),
        new RepeatRules(hearing),
        new FailureRules(hearing),
        new PathRules(hearing),
        new ContextRules(hearing),
        new SecretRules(hearing),
        new AccessModeRules(hearing),
        new TopologyRules(hearing),
        new PageRules(hearing),
        new SnapshotRules(hearing),
        new ExpansionRules(hearing),
        new StreamRules(hearing));
  }

  private static void read(JournalEvent event, KnownWorld world, List<DutyRule> rules) {
    world.happened(event);
    if (event instanceof JournalEvent.Began began) {
      rules.forEach(rule -> rule.began(began.call()));
      world.began(began.call());
    } else if (event instanceof JournalEvent.Ended ended) {
      rules.forEach(rule -> rule.ended(ended.call()));
      world.ended(ended.call());
    } else {
      rules.forEach(rule -> rule.happened(event));
    }
  }
}
