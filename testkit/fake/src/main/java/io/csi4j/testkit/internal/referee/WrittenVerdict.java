package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.UnlawfulCallerException;
import io.csi4j.testkit.referee.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The verdict that the rules write while they read the journal. */
final class WrittenVerdict implements Verdict {

  private final Set<Integer> kept = new HashSet<>();
  private final List<Breach> breaches = new ArrayList<>();
  private final List<Breach> excused = new ArrayList<>();

  void kept(int duty) {
    kept.add(duty);
  }

  void broken(int duty, String story, List<RecordedCall> calls) {
    DutyId id = DutyId.of(duty);
    breaches.add(new Breach(id, id + (isAdvice(id) ? " advice: " : " broken: ") + story, calls));
  }

  void excused(int duty, String story, List<RecordedCall> calls) {
    DutyId id = DutyId.of(duty);
    excused.add(new Breach(id, id + " excused: " + story, calls));
  }

  @Override
  public Map<DutyId, Finding> findings() {
    Set<DutyId> broken = broken();
    Map<DutyId, Finding> findings = new TreeMap<>();
    for (Duty duty : DutyCatalogue.all()) {
      if (duty.unseen().isPresent()) {
        findings.put(duty.id(), Finding.UNSEEN);
      } else if (broken.contains(duty.id())) {
        findings.put(duty.id(), Finding.BROKEN);
      } else {
        boolean seen = kept.contains(duty.id().number());
        findings.put(duty.id(), seen ? Finding.KEPT : Finding.NOT_EXERCISED);
      }
    }
    return Collections.unmodifiableMap(findings);
  }

  @Override
  public List<Breach> breaches() {
    return Collections.unmodifiableList(breaches);
  }

  @Override
  public List<Breach> excused() {
    return Collections.unmodifiableList(excused);
  }

  @Override
  public Set<DutyId> broken() {
    Set<DutyId> broken = new TreeSet<>();
    breaches.forEach(breach -> broken.add(breach.duty()));
    return Collections.unmodifiableSet(broken);
  }

  @Override
  public Set<DutyId> advice() {
    Set<DutyId> advice = new TreeSet<>(broken());
    advice.removeIf(duty -> !isAdvice(duty));
    return Collections.unmodifiableSet(advice);
  }

  @Override
  public boolean lawful() {
    return advice().containsAll(broken());
  }

  @Override
  public String describe() {
    StringBuilder out = new StringBuilder("The caller ");
    out.append(lawful() ? "is lawful.\n" : "broke what CSI asks of an orchestrator.\n");
    list(out, "Broken:", breaches, false);
    list(out, "Advice (not asked for with MUST, so the caller is not accused):", breaches, true);
    list(out, "Excused (bent, as the plugin left no other way):", excused, false);
    Map<Finding, Integer> counts = new EnumMap<>(Finding.class);
    findings().values().forEach(finding -> counts.merge(finding, 1, Integer::sum));
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
    byDuty.forEach((duty, all) -> entry(out, DutyCatalogue.duty(duty), all));
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
    return !DutyCatalogue.duty(duty).level().binding();
  }

  @Override
  public void assertLawful() {
    if (!lawful()) {
      throw new UnlawfulCallerException(this);
    }
  }

  @Override
  public String toString() {
    return describe();
  }
}
