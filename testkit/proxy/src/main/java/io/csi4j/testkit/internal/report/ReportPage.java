package io.csi4j.testkit.internal.report;

import io.csi4j.testkit.Referee;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.AnswerFinding;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A page of HTML that shows what a journal holds.
 *
 * @param title what it is about
 * @param events the journal
 * @param verdict how the caller kept its duties; null if it was not judged
 * @param findings what the plugin's answers broke
 * @param faults what was made to go wrong
 * @param tables what else is shown, before the calls
 */
public record ReportPage(
    String title,
    List<JournalEvent> events,
    @Nullable Verdict verdict,
    List<AnswerFinding> findings,
    List<FaultRule> faults,
    List<Table> tables) {

  /**
   * A table.
   *
   * @param title the heading above it
   * @param rows the names of its columns, and its rows; all texts
   */
  public record Table(String title, List<List<String>> rows) {}

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final int SLOWEST = 15;
  private static final int LISTED = 1_000;
  private static final int STORIES = 3;
  private static final int FINDINGS = 100;

  /** The page. */
  public String html() {
    List<RecordedCall> calls = calls();
    CallTimes times = new CallTimes(calls);
    StringBuilder page = new StringBuilder(1 << 14);
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>")
        .append(Html.text(title))
        .append("</title><style>\n")
        .append(style())
        .append("</style></head><body>\n");
    head(page, calls, times);
    tables.forEach(table -> table(page, table));
    if (calls.isEmpty()) {
      page.append("<p>No call was made.</p>");
    } else {
      timeline(page, times);
      duties(page);
      answers(page);
      faults(page);
      slowest(page, calls);
      operations(page, calls);
      all(page, calls);
    }
    return page.append("</body></html>\n").toString();
  }

  /** Each call as far as it went. */
  private List<RecordedCall> calls() {
    Map<Long, RecordedCall> calls = new TreeMap<>();
    for (JournalEvent event : events) {
      if (event instanceof JournalEvent.Began began) {
        calls.putIfAbsent(began.call().number(), began.call());
      } else if (event instanceof JournalEvent.Ended ended) {
        calls.put(ended.call().number(), ended.call());
      }
    }
    return List.copyOf(calls.values());
  }

  private void head(StringBuilder page, List<RecordedCall> calls, CallTimes times) {
    page.append("<h1>").append(Html.text(title)).append("</h1><p class=\"dim\">");
    if (!calls.isEmpty()) {
      page.append(DAY.format(times.first())).append(", ").append(CallTimes.words(times.span()));
    }
    page.append("</p><div class=\"tiles\">");
    tile(page, "", calls.size(), "calls");
    tile(page, "", count(calls, "failed"), "refused");
    tile(page, "", count(calls, "broken") + count(calls, "abandoned"), "without an answer");
    if (!faults.isEmpty()) {
      long injected = calls.stream().filter(call -> fault(call).isPresent()).count();
      tile(page, "", injected, "with an injected fault");
    }
    if (count(calls, "open") > 0) {
      tile(page, "", count(calls, "open"), "in flight");
    }
    if (verdict != null) {
      int advice = verdict.advice().size();
      int broken = verdict.broken().size() - advice;
      tile(page, verdict.lawful() ? "good" : "bad", broken, "duties broken by the caller");
      if (advice > 0) {
        tile(page, "", advice, "duties with advice to the caller");
      }
    }
    tile(
        page,
        findings.isEmpty() ? "good" : "bad",
        findings.size(),
        "answers of the plugin against the spec");
    page.append("</div>");
  }

  private static void tile(StringBuilder page, String kind, long number, String what) {
    page.append("<div class=\"tile ")
        .append(kind)
        .append("\"><b>")
        .append(number)
        .append("</b>")
        .append(what)
        .append("</div>");
  }

  private static long count(List<RecordedCall> calls, String kind) {
    return calls.stream().filter(call -> CallTimes.kind(call).equals(kind)).count();
  }

  private static void timeline(StringBuilder page, CallTimes times) {
    page.append("<h2>Calls by volume</h2><div class=\"wide\">")
        .append(times.timeline())
        .append("</div><div class=\"legend\"><span class=\"ok\">answered OK</span>")
        .append(
            "<span class=\"failed\">refused</span><span class=\"broken\">connection broke</span>")
        .append(
            "<span class=\"abandoned\">caller gave up</span><span class=\"open\">in flight</span>")
        .append("</div>");
    times.leftOut().ifPresent(text -> page.append("<p class=\"dim\">").append(text).append("</p>"));
    page.append("<h2>Calls in flight</h2><div class=\"wide\">")
        .append(times.inFlight())
        .append("</div>");
  }

  private void duties(StringBuilder page) {
    if (verdict == null) {
      return;
    }
    Map<DutyId, Duty> known =
        Referee.duties().stream().collect(Collectors.toMap(Duty::id, Function.identity()));
    Map<Verdict.Finding, Long> found =
        verdict.findings().values().stream()
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    page.append("<h2>Duties of the caller</h2><p class=\"dim\">")
        .append(found.getOrDefault(Verdict.Finding.KEPT, 0L))
        .append(" kept, ")
        .append(verdict.broken().size() - verdict.advice().size())
        .append(" broken, ")
        .append(verdict.advice().size())
        .append(" with advice, ")
        .append(found.getOrDefault(Verdict.Finding.NOT_EXERCISED, 0L))
        .append(" without occasion.</p>");
    if (!verdict.breaches().isEmpty()) {
      Map<DutyId, List<Breach>> byDuty =
          verdict.breaches().stream()
              .collect(
                  Collectors.groupingBy(Breach::duty, LinkedHashMap::new, Collectors.toList()));
      page.append("<table><tr><th>duty</th><th></th><th>what happened</th></tr>");
      byDuty.forEach((id, breaches) -> breach(page, known.get(id), breaches));
      page.append("</table>");
    }
    List<DutyId> kept =
        verdict.findings().entrySet().stream()
            .filter(each -> each.getValue() == Verdict.Finding.KEPT)
            .map(Map.Entry::getKey)
            .toList();
    if (!kept.isEmpty()) {
      page.append("<details><summary>Duties kept</summary><table>");
      for (DutyId id : kept) {
        page.append("<tr><td class=\"word\">")
            .append(id)
            .append("</td><td>")
            .append(Html.text(Optional.ofNullable(known.get(id)).map(Duty::text).orElse("")))
            .append("</td></tr>");
      }
      page.append("</table></details>");
    }
  }

  private static void breach(StringBuilder page, @Nullable Duty duty, List<Breach> breaches) {
    DutyId id = breaches.get(0).duty();
    page.append("<tr><td class=\"word\">")
        .append(id)
        .append("</td><td class=\"word ")
        .append(duty != null && duty.level().binding() ? "broken\">broken" : "failed\">advice")
        .append("</td><td>");
    breaches.stream()
        .limit(STORIES)
        .map(breach -> breach.story().replaceFirst("^D-\\d+ [a-z]+: ", ""))
        .forEach(story -> page.append(Html.text(story)).append("<br>"));
    if (breaches.size() > STORIES) {
      page.append("and ").append(breaches.size() - STORIES).append(" times more<br>");
    }
    if (duty != null) {
      page.append("<span class=\"dim\">").append(Html.text(duty.text())).append("</span>");
    }
    page.append("</td></tr>");
  }

  private void answers(StringBuilder page) {
    if (findings.isEmpty()) {
      return;
    }
    page.append("<h2>Answers of the plugin against the spec</h2>")
        .append("<table><tr><th>call</th><th>field</th><th>what is wrong</th></tr>");
    for (AnswerFinding finding : findings.subList(0, Math.min(FINDINGS, findings.size()))) {
      page.append("<tr><td class=\"word\">")
          .append(CallTimes.name(finding.call()))
          .append("</td><td>")
          .append(Html.text(finding.field()))
          .append("</td><td>")
          .append(Html.text(finding.why()))
          .append("</td></tr>");
    }
    page.append("</table>");
  }

  private void faults(StringBuilder page) {
    if (faults.isEmpty()) {
      return;
    }
    page.append(
        "<h2>Faults</h2><table><tr><th>fault</th><th>to</th><th class=\"n\">acted</th></tr>");
    for (FaultRule rule : faults) {
      page.append("<tr><td>")
          .append(Html.text(rule.fault().toString()))
          .append("</td><td>")
          .append(Html.text(rule.when().toString()))
          .append("</td><td class=\"n\">")
          .append(rule.hits())
          .append("</td></tr>");
    }
    page.append("</table>");
  }

  private static void table(StringBuilder page, Table table) {
    page.append("<h2>").append(Html.text(table.title())).append("</h2><table>");
    String cell = "th";
    for (List<String> row : table.rows()) {
      page.append("<tr>");
      for (String text : row) {
        page.append('<').append(cell).append('>');
        page.append(text.lines().map(Html::text).collect(Collectors.joining("<br>")));
        page.append("</").append(cell).append('>');
      }
      page.append("</tr>");
      cell = "td";
    }
    page.append("</table>");
  }

  /** The fault that acted on a call. */
  private Optional<FaultRule> fault(RecordedCall call) {
    return faults.stream().filter(rule -> rule.actedOn(call.number())).findFirst();
  }

  private void slowest(StringBuilder page, List<RecordedCall> calls) {
    page.append("<h2>Slowest calls</h2><table>");
    headings(page);
    calls.stream()
        .filter(call -> call.ended().isPresent())
        .sorted(Comparator.comparing(CallTimes::taken).reversed())
        .limit(SLOWEST)
        .forEach(call -> row(page, call));
    page.append("</table>");
  }

  private static void operations(StringBuilder page, List<RecordedCall> calls) {
    page.append("<h2>Operations</h2><table><tr><th>operation</th><th class=\"n\">calls</th>")
        .append(
            "<th class=\"n\">OK</th><th class=\"n\">median</th><th class=\"n\">longest</th></tr>");
    Map<String, List<RecordedCall>> byName = new LinkedHashMap<>();
    calls.forEach(
        call ->
            byName
                .computeIfAbsent(call.operation().rpcName(), none -> new ArrayList<>())
                .add(call));
    byName.forEach(
        (name, all) -> {
          List<RecordedCall> sorted =
              all.stream()
                  .filter(call -> call.ended().isPresent())
                  .sorted(Comparator.comparing(CallTimes::taken))
                  .toList();
          page.append("<tr><td>")
              .append(name)
              .append("</td><td class=\"n\">")
              .append(all.size())
              .append("</td><td class=\"n\">")
              .append(count(all, "ok"))
              .append("</td>");
          if (sorted.isEmpty()) {
            page.append("<td></td><td></td></tr>");
          } else {
            page.append("<td class=\"n\">")
                .append(CallTimes.words(CallTimes.taken(sorted.get(sorted.size() / 2))))
                .append("</td><td class=\"n\">")
                .append(CallTimes.words(CallTimes.taken(sorted.get(sorted.size() - 1))))
                .append("</td></tr>");
          }
        });
    page.append("</table>");
  }

  private void all(StringBuilder page, List<RecordedCall> calls) {
    page.append("<h2>All calls</h2><details><summary>")
        .append(calls.size() > LISTED ? "The last " + LISTED + " of " + calls.size() : calls.size())
        .append(" calls</summary><table>");
    headings(page);
    calls
        .subList(Math.max(0, calls.size() - LISTED), calls.size())
        .forEach(call -> row(page, call));
    page.append("</table></details>");
  }

  private static void headings(StringBuilder page) {
    page.append("<tr><th>call</th><th>volume</th><th>began</th><th class=\"n\">took</th>")
        .append("<th>ended</th></tr>");
  }

  private void row(StringBuilder page, RecordedCall call) {
    page.append("<tr><td class=\"word\">")
        .append(CallTimes.name(call))
        .append("</td><td>")
        .append(Html.text(CallTimes.volume(call)))
        .append("</td><td class=\"n\">")
        .append(CallTimes.clock(call.began()))
        .append("</td><td class=\"n\">")
        .append(call.ended().isPresent() ? CallTimes.words(CallTimes.taken(call)) : "")
        .append("</td><td><span class=\"word ")
        .append(CallTimes.kind(call))
        .append("\">")
        .append(CallTimes.ended(call))
        .append("</span>");
    if (call.end().orElse(null) instanceof CallEnd.Failed failed && !failed.text().isEmpty()) {
      page.append("<br><span class=\"dim\">").append(Html.text(failed.text())).append("</span>");
    }
    fault(call)
        .ifPresent(
            rule ->
                page.append("<br><span class=\"dim\">by an injected fault: ")
                    .append(Html.text(rule.fault().toString()))
                    .append("</span>"));
    page.append("</td></tr>");
  }

  private static String style() {
    try (InputStream in = ReportPage.class.getResourceAsStream("report.css")) {
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
