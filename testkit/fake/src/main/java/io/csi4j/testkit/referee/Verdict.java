package io.csi4j.testkit.referee;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The verdict on a caller: which duties it kept, and which it broke.
 *
 * @param findings every duty with the referee's finding, ordered by number
 * @param breaches every breach of a {@link Duty.Level#binding binding} duty or of advice, in the
 *     order in which they happened
 * @param excused every violation for which the plugin left the caller no alternative, in the order
 *     in which they happened; for example, the caller unstaged a volume after the plugin had
 *     refused at least five times to unpublish it. Such violations do not count as breaches, but
 *     the report lists them.
 * @since 1.0
 */
public record Verdict(Map<DutyId, Finding> findings, List<Breach> breaches, List<Breach> excused) {

  /** Copies the collections. */
  public Verdict {
    findings = Collections.unmodifiableMap(new TreeMap<>(findings));
    breaches = List.copyOf(breaches);
    excused = List.copyOf(excused);
  }

  /** Returns all broken duties, including those that are only advice. */
  public Set<DutyId> broken() {
    Set<DutyId> broken = new TreeSet<>();
    breaches.forEach(breach -> broken.add(breach.duty()));
    return Collections.unmodifiableSet(broken);
  }

  /** Returns the {@link #broken} duties that are not binding, but only advice to the caller. */
  public Set<DutyId> advice() {
    Set<DutyId> advice = new TreeSet<>(broken());
    advice.removeIf(duty -> !isAdvice(duty));
    return Collections.unmodifiableSet(advice);
  }

  /** Returns whether the caller broke no {@link Duty.Level#binding binding} duty. */
  public boolean lawful() {
    return advice().containsAll(broken());
  }

  /**
   * Returns the complete report as text: the broken duties, the advice and the excused violations,
   * each with its calls, and then the numbers of duties by finding.
   */
  public String describe() {
    StringBuilder out = new StringBuilder("The caller ");
    out.append(lawful() ? "is lawful.\n" : "broke duties of an orchestrator.\n");
    list(out, "Broken:", breaches, false);
    list(out, "Advice (not a MUST, so the caller is still lawful):", breaches, true);
    list(out, "Excused (the plugin left no other way):", excused, false);
    Map<Finding, Integer> counts = new EnumMap<>(Finding.class);
    findings.values().forEach(finding -> counts.merge(finding, 1, Integer::sum));
    String duties = "\nDuties: %s broken, %s with advice, %s kept, %s not exercised, ";
    out.append(
        duties.formatted(
            counts.getOrDefault(Finding.BROKEN, 0) - advice().size(),
            advice().size(),
            counts.getOrDefault(Finding.KEPT, 0),
            counts.getOrDefault(Finding.NOT_EXERCISED, 0)));
    out.append(counts.getOrDefault(Finding.UNSEEN, 0))
        .append(" that no plugin can see. docs/duties.md explains each.\n");
    return out.toString();
  }

  private static void list(StringBuilder out, String title, List<Breach> among, boolean advice) {
    Map<DutyId, List<Breach>> byDuty =
        among.stream()
            .filter(breach -> isAdvice(breach.duty()) == advice)
            .collect(Collectors.groupingBy(Breach::duty, LinkedHashMap::new, Collectors.toList()));
    if (byDuty.isEmpty()) {
      return;
    }
    out.append('\n').append(title).append('\n');
    byDuty.forEach((duty, all) -> entry(out, Duty.of(duty), all));
  }

  private static void entry(StringBuilder out, Duty duty, List<Breach> all) {
    Breach first = all.get(0);
    out.append("  ").append(first.story());
    if (all.size() > 1) {
      out.append(" (and ").append(all.size() - 1).append(" more time(s))");
    }
    out.append("\n    duty: ").append(duty.level()).append(": ").append(duty.text()).append('\n');
    first.calls().forEach(call -> out.append("    ").append(call).append('\n'));
  }

  private static boolean isAdvice(DutyId duty) {
    return !Duty.of(duty).level().binding();
  }

  /**
   * Throws an exception if the caller is not {@link #lawful}.
   *
   * @throws UnlawfulCallerException with the complete report
   */
  public void assertLawful() {
    if (!lawful()) {
      throw new UnlawfulCallerException(this);
    }
  }

  /** Returns the complete report, as {@link #describe} does. */
  @Override
  public String toString() {
    return describe();
  }

  /** The referee's finding about one duty. */
  public enum Finding {
    /** The caller had an opportunity to break the duty, and kept it. */
    KEPT,
    /** The caller broke the duty. */
    BROKEN,
    /** No call gave the caller an opportunity to keep or break the duty. */
    NOT_EXERCISED,
    /** No plugin can observe whether the duty is kept. */
    UNSEEN
  }
}
