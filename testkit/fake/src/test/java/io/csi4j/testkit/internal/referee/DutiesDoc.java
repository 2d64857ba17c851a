package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.referee.Duty;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Renders {@code docs/duties.md} from the catalogue of duties and the rules that judge them. */
final class DutiesDoc {

  private static final String INTRODUCTION =
      """
      # The duties of an orchestrator

      CSI 1.13 has %d duties for the caller of a plugin, listed here in our words. The referee of the testkit
      [judges](testing-with-csi4j.md) %d of them from what a plugin sees: requests, their order, earlier answers and the
      paths that they name. %d of those are binding.

      An entry names the duty's number, the call or section of the spec, and its level; `Duty.all()` has all texts. MUST, SHALL and REQUIRED are
      binding: a caller that breaks one is unlawful. Every other level is advice. DUTY is a rule without a keyword, DERIVED
      a conclusion from what a plugin may do.

      The referee expects a journal that begins with the start of the plugin. In a journal that was cleared it judges only
      duties that need no history. It never blames a caller for facts that the caller cannot know, such as a lost answer.

      `DutiesDocTest` generates this page from the catalogue:
      `mvn test -Dtest=DutiesDocTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.
      """;

  private static final List<String> ASKING_NOTHING =
      List.of("It permits something", "It sums up other duties", "It explains other duties");

  private DutiesDoc() {}

  static String render() {
    List<Duty> duties = Duty.all();
    List<Duty> judged = duties.stream().filter(duty -> duty.unseen().isEmpty()).toList();
    long binding = judged.stream().filter(duty -> duty.level().binding()).count();
    StringBuilder page =
        new StringBuilder(INTRODUCTION.formatted(duties.size(), judged.size(), binding));
    page.append("\n## Judged, by rule\n");
    groups(judged, judgedBy()).forEach((title, group) -> list(page, title, group));
    page.append("\n## Not judged, by reason\n");
    Map<Integer, String> reasons = new TreeMap<>();
    duties.forEach(
        duty -> duty.unseen().ifPresent(reason -> reasons.put(duty.id().number(), reason)));
    List<Duty> others = duties.stream().filter(duty -> duty.unseen().isPresent()).toList();
    groups(others, reasons).entrySet().stream()
        .sorted((one, two) -> two.getValue().size() - one.getValue().size())
        .forEach(group -> unseen(page, group.getKey().replaceFirst("\\.$", ""), group.getValue()));
    return page.toString();
  }

  private static Map<Integer, String> judgedBy() {
    Map<Integer, String> rules = new TreeMap<>();
    for (DutyRule rule : AllRules.rules(new DutyRule.Hearing())) {
      rule.duties()
          .forEach(duty -> rules.merge(duty, rule.title(), (one, two) -> one + "; " + two));
    }
    return rules;
  }

  private static Map<String, List<Duty>> groups(List<Duty> duties, Map<Integer, String> titles) {
    Map<String, List<Duty>> groups = new LinkedHashMap<>();
    duties.forEach(
        duty ->
            groups
                .computeIfAbsent(titles.get(duty.id().number()), title -> new ArrayList<>())
                .add(duty));
    return groups;
  }

  /** Appends one entry for all duties of the group that have the same level and text. */
  private static void list(StringBuilder page, String title, List<Duty> group) {
    page.append("\n### ").append(title).append(" (").append(group.size()).append(")\n\n");
    Map<String, List<Duty>> entries = new LinkedHashMap<>();
    for (Duty duty : group) {
      String entry = " (" + duty.level().name().replace('_', ' ') + "): " + text(duty);
      entries.computeIfAbsent(entry, text -> new ArrayList<>()).add(duty);
    }
    entries.forEach(
        (entry, same) ->
            page.append("- ")
                .append(
                    same.stream()
                        .map(duty -> "**" + duty.id() + "** " + place(duty))
                        .collect(Collectors.joining(", ")))
                .append(entry)
                .append('\n'));
  }

  /** Appends the entries, or the numbers alone of sentences that ask the caller for nothing. */
  private static void unseen(StringBuilder page, String title, List<Duty> group) {
    if (ASKING_NOTHING.stream().noneMatch(title::startsWith)) {
      list(page, title, group);
      return;
    }
    page.append("\n### ").append(title).append(" (").append(group.size()).append(")\n\n");
    page.append(group.stream().map(duty -> duty.id().toString()).collect(Collectors.joining(", ")));
    page.append('\n');
  }

  private static String place(Duty duty) {
    return duty.section().replaceFirst(" Errors$", "");
  }

  private static String text(Duty duty) {
    return duty.text().replace("<", "&lt;").replace("*", "\\*");
  }
}
