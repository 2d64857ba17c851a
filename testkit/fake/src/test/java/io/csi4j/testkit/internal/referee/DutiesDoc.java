package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.referee.Duty;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Renders {@code docs/duties.md} from the catalogue of duties and the rules that judge them. */
final class DutiesDoc {

  private static final String INTRODUCTION =
      """
      # What CSI asks of an orchestrator, and what a plugin can see of it

      Each duty is one sentence of CSI 1.13 that binds the caller of a plugin, in our own words. The referee of the testkit
      judges those that show on the plugin's side: in requests, in their order and timing, in the answers that went before,
      in what stands at the paths they name. The others are listed with the reason why no plugin can see them.

      Generated from the catalogue in the code; `DutiesDocTest` fails when this page is stale and rewrites it with
      `mvn test -Dtest=DutiesDocTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      ## Reading a row

      **Level** is the keyword of the spec. *REQUIRED* is a field that the spec marks so, *DUTY* is laid down in plain words
      without a keyword, *DERIVED* we concluded from what a plugin must do or may leave out.

      **Binds** says what a breach is. Only MUST, SHALL and REQUIRED bind, the words by which the spec measures compliance: a
      caller that breaks one of these is unlawful. All else is advice, which accuses nobody. Where a plugin sees no more than
      a sign that such a duty is broken, the sign is a duty of its own, and advice.

      **Judged** names the rule that judges the duty, or says why there is none.

      The referee takes a journal that begins with the start of a plugin for the whole story: what happened before it never
      happened. In a journal that was cleared on the way it judges only what needs no history. It never holds against a
      caller what the caller cannot know: a lost answer, an amnesia, an upgrade that it was not told of.

      """;

  private DutiesDoc() {}

  static String render() {
    Map<Integer, String> rules = new TreeMap<>();
    for (DutyRule rule : AllRules.rules(new DutyRule.Hearing())) {
      rule.duties()
          .forEach(duty -> rules.merge(duty, rule.title(), (one, two) -> one + "; " + two));
    }
    List<Duty> duties = Duty.all();
    StringBuilder page = new StringBuilder(INTRODUCTION);
    summary(page, duties);
    page.append(
        "\n## Duties\n\n| number | level | section | duty | binds | judged |\n|---|---|---|---|---|---|\n");
    for (Duty duty : duties) {
      page.append("| ")
          .append(duty.id())
          .append(" | ")
          .append(duty.level().name().replace('_', ' '))
          .append(" | ")
          .append(duty.section())
          .append(" | ")
          .append(cell(duty.text()))
          .append(" | ")
          .append(binds(duty))
          .append(" | ")
          .append(
              duty.unseen()
                  .map(reason -> "No. " + reason)
                  .orElseGet(() -> rules.getOrDefault(duty.id().number(), "")))
          .append(" |\n");
    }
    return page.toString();
  }

  private static void summary(StringBuilder page, List<Duty> duties) {
    Map<String, Integer> reasons = new LinkedHashMap<>();
    duties.forEach(
        duty -> duty.unseen().ifPresent(reason -> reasons.merge(reason, 1, Integer::sum)));
    int unseen = reasons.values().stream().mapToInt(Integer::intValue).sum();
    page.append("Of ")
        .append(duties.size())
        .append(" duties ")
        .append(duties.size() - unseen)
        .append(" are judged, of which ")
        .append(duties.stream().filter(duty -> binds(duty).equals("yes")).count())
        .append(" bind.\n\n| not judged | because |\n|---|---|\n");
    reasons.entrySet().stream()
        .sorted((one, two) -> two.getValue() - one.getValue())
        .forEach(
            reason ->
                page.append("| ")
                    .append(reason.getValue())
                    .append(" | ")
                    .append(reason.getKey())
                    .append(" |\n"));
  }

  private static String binds(Duty duty) {
    if (duty.unseen().isPresent()) {
      return "";
    }
    return duty.level().binding() ? "yes" : "advice";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*");
  }
}
