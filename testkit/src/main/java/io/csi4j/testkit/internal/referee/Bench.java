package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;

/** All rules together. */
public final class Bench {

  private Bench() {}

  /** Judges these events, oldest first. */
  public static Verdict judge(List<JournalEvent> events) {
    Rule.Hearing hearing = new Rule.Hearing(new World(), new Sheet());
    List<Rule> rules = rules(hearing);
    events.forEach(event -> read(event, hearing.world(), rules));
    rules.forEach(Rule::finished);
    return new WrittenVerdict(hearing.sheet());
  }

  /** Every duty. */
  public static List<Duty> duties() {
    return Catalogue.all();
  }

  /** A new set of all rules. */
  static List<Rule> rules(Rule.Hearing hearing) {
    return List.of(
        new RequiredFields(hearing),
        new Sizes(hearing),
        new Ids(hearing),
        new Introductions(hearing),
        new Gates(hearing),
        new OneAtATime(hearing),
        new Order(hearing),
        new Repeats(hearing),
        new Failures(hearing),
        new Paths(hearing),
        new Contexts(hearing),
        new SecretUse(hearing),
        new AccessModes(hearing),
        new Topologies(hearing),
        new Listings(hearing),
        new Snapshots(hearing),
        new Expansion(hearing),
        new Streams(hearing));
  }

  private static void read(JournalEvent event, World world, List<Rule> rules) {
    if (event instanceof JournalEvent.Began began) {
      world.happened(event);
      rules.forEach(rule -> rule.began(began.call()));
      world.began(began.call());
    } else if (event instanceof JournalEvent.Ended ended) {
      world.happened(event);
      rules.forEach(rule -> rule.ended(ended.call()));
      world.ended(ended.call());
    } else {
      world.happened(event);
      rules.forEach(rule -> rule.happened(event));
    }
  }
}
