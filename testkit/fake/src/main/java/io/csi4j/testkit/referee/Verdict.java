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
 * How a caller kept its duties.
 *
 * @param findings every duty there is with what the referee found, in the order of the numbers
 * @param breaches every breach, in the order they happened: those of {@link Duty.Level#binding
 *     binding} duties, and those that are advice
 * @param excused every duty bent where the plugin left its caller no other way, in the order they
 *     happened; such as a volume that was unstaged after its unpublishing was refused at least five
 *     times. They count as no breach, and are in the report.
 * @since 1.0
 */
public record Verdict(Map<DutyId, Finding> findings, List<Breach> breaches, List<Breach> excused) {

  /** Copies the parts. */
  public Verdict {
    findings = Collections.unmodifiableMap(new TreeMap<>(findings));
    breaches = List.copyOf(breaches);
    excused = List.copyOf(excused);
  }

  /** The duties broken, binding ones and others. */
  public Set<DutyId> broken() {
    Set<DutyId> broken = new TreeSet<>();
    breaches.forEach(breach -> broken.add(breach.duty()));
    return Collections.unmodifiableSet(broken);
  }

  /** Those of the {@link #broken} that are not binding: advice to the caller, no accusation. */
  public Set<DutyId> advice() {
    Set<DutyId> advice = new TreeSet<>(broken());
    advice.removeIf(duty -> !isAdvice(duty));
    return Collections.unmodifiableSet(advice);
  }

  /** Whether no duty was broken that is {@link Duty.Level#binding binding}; others are advice. */
  public boolean lawful() {
    return advice().containsAll(broken());
  }

  /** The whole report for a person: what was broken with the calls, then the rest in short. */
  public String describe() {
    StringBuilder out = new StringBuilder("The caller ");
    out.append(lawful() ? "is lawful.\n" : "broke what CSI asks of an orchestrator.\n");
    list(out, "Broken:", breaches, false);
    list(out, "Advice (not asked for with MUST, so the caller is not accused):", breaches, true);
    list(out, "Excused (bent, as the plugin left no other way):", excused, false);
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
    out.append("\n    asked: ").append(duty.level()).append(": ").append(duty.text()).append('\n');
    first.calls().forEach(call -> out.append("    ").append(call).append('\n'));
  }

  private static boolean isAdvice(DutyId duty) {
    return !Duty.of(duty).level().binding();
  }

  /**
   * Throws if the caller is not {@link #lawful}.
   *
   * @throws UnlawfulCallerException with the whole story
   */
  public void assertLawful() {
    if (!lawful()) {
      throw new UnlawfulCallerException(this);
    }
  }

  /** The whole report, as {@link #describe} gives it. */
  @Override
  public String toString() {
    return describe();
  }

  /** The finding of the referee about one duty. */
  public enum Finding {
    /** There was occasion to break it, and it was kept. */
    KEPT,
    /** The duty was broken. */
    BROKEN,
    /** There was no occasion to keep or break it. */
    NOT_EXERCISED,
    /** No plugin can see it. */
    UNSEEN
  }
}
