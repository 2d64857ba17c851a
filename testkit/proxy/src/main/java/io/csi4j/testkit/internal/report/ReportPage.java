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

/** An HTML page that shows the content of a journal. */
public record ReportPage(
    String title,
    List<JournalEvent> events,
    @Nullable Verdict verdict,
    List<AnswerFinding> findings,
    List<FaultRule> faults,
    List<Table> tables) {

  /** A table: the names of its columns, and its rows. */
  public record Table(String title, List<List<String>> rows) {}

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final int SLOWEST = 15;
  private static final int LISTED = 1_000;
  private static final int STORIES = 3;
  private static final int FINDINGS = 100;

  public String html() {
    List<RecordedCall> calls = calls();
    CallTimes times = new CallTimes(calls);
    Html page = new Html();
    page.add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        .add("<title>%s</title><style>\n%s</style></head><body>\n", title, style());
    head(page, calls, times);
    tables.forEach(table -> table(page, table));
    if (calls.isEmpty()) {
      page.add("<p>No call was made.</p>");
    } else {
      timeline(page, times);
      duties(page);
      answers(page);
      faults(page);
      slowest(page, calls);
      operations(page, calls);
      all(page, calls);
    }
    return page.add("</body></html>\n").toString();
  }

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

  private void head(Html page, List<RecordedCall> calls, CallTimes times) {
    page.add("<h1>%s</h1><p class=\"dim\">", title);
    if (!calls.isEmpty()) {
      page.add("%s, %s", DAY.format(times.first()), CallTimes.words(times.span()));
    }
    page.add("</p><div class=\"tiles\">");
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
    page.add("</div>");
  }

  private static void tile(Html page, String kind, long number, String what) {
    page.add("<div class=\"tile %s\"><b>%s</b>%s</div>", kind, number, what);
  }

  private static long count(List<RecordedCall> calls, String kind) {
    return calls.stream().filter(call -> CallTimes.end(call).kind().equals(kind)).count();
  }

  private static void timeline(Html page, CallTimes times) {
    page.add("<h2>Calls by volume</h2><div class=\"wide\">%s</div>", times.timeline())
        .add("<div class=\"legend\"><span class=\"ok\">answered OK</span>")
        .add("<span class=\"failed\">refused</span>")
        .add("<span class=\"broken\">connection broke</span>")
        .add("<span class=\"abandoned\">caller gave up</span>")
        .add("<span class=\"open\">in flight</span></div>");
    times.leftOut().ifPresent(text -> page.add("<p class=\"dim\">%s</p>", text));
    page.add("<h2>Calls in flight</h2><div class=\"wide\">%s</div>", times.inFlight());
  }

  private void duties(Html page) {
    if (verdict == null) {
      return;
    }
    Map<DutyId, Duty> known =
        Referee.duties().stream().collect(Collectors.toMap(Duty::id, Function.identity()));
    Map<Verdict.Finding, Long> found =
        verdict.findings().values().stream()
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    page.add(
            "<h2>Duties of the caller</h2><p class=\"dim\">%s kept, ",
            found.getOrDefault(Verdict.Finding.KEPT, 0L))
        .add("%s broken, ", verdict.broken().size() - verdict.advice().size())
        .add("%s with advice, ", verdict.advice().size())
        .add("%s without occasion.</p>", found.getOrDefault(Verdict.Finding.NOT_EXERCISED, 0L));
    if (!verdict.breaches().isEmpty()) {
      Map<DutyId, List<Breach>> byDuty =
          verdict.breaches().stream()
              .collect(
                  Collectors.groupingBy(Breach::duty, LinkedHashMap::new, Collectors.toList()));
      page.add("<table><tr><th>duty</th><th></th><th>what happened</th></tr>");
      byDuty.forEach((id, breaches) -> breach(page, known.get(id), breaches));
      page.add("</table>");
    }
    List<DutyId> kept =
        verdict.findings().entrySet().stream()
            .filter(each -> each.getValue() == Verdict.Finding.KEPT)
            .map(Map.Entry::getKey)
            .toList();
    if (!kept.isEmpty()) {
      page.add("<details><summary>Duties kept</summary><table>");
      for (DutyId id : kept) {
        String text = Optional.ofNullable(known.get(id)).map(Duty::text).orElse("");
        page.add("<tr><td class=\"word\">%s</td><td>%s</td></tr>", id, text);
      }
      page.add("</table></details>");
    }
  }

  private static void breach(Html page, @Nullable Duty duty, List<Breach> breaches) {
    boolean binding = duty != null && duty.level().binding();
    page.add("<tr><td class=\"word\">%s</td>", breaches.get(0).duty())
        .add("<td class=\"word %s\">", binding ? "broken" : "failed")
        .add("%s</td><td>", binding ? "broken" : "advice");
    breaches.stream()
        .limit(STORIES)
        .map(breach -> breach.story().replaceFirst("^D-\\d+ [a-z]+: ", ""))
        .forEach(story -> page.add("%s<br>", story));
    if (breaches.size() > STORIES) {
      page.add("and %s times more<br>", breaches.size() - STORIES);
    }
    if (duty != null) {
      page.add("<span class=\"dim\">%s</span>", duty.text());
    }
    page.add("</td></tr>");
  }

  private void answers(Html page) {
    if (findings.isEmpty()) {
      return;
    }
    page.add("<h2>Answers of the plugin against the spec</h2>")
        .add("<table><tr><th>call</th><th>field</th><th>what is wrong</th></tr>");
    for (AnswerFinding finding : findings.subList(0, Math.min(FINDINGS, findings.size()))) {
      page.add("<tr><td class=\"word\">%s</td>", CallTimes.name(finding.call()))
          .add("<td>%s</td><td>%s</td></tr>", finding.field(), finding.why());
    }
    page.add("</table>");
  }

  private void faults(Html page) {
    if (faults.isEmpty()) {
      return;
    }
    page.add("<h2>Faults</h2><table><tr><th>fault</th><th>to</th><th class=\"n\">acted</th></tr>");
    for (FaultRule rule : faults) {
      page.add("<tr><td>%s</td><td>%s</td>", rule.fault().toString(), rule.when().toString())
          .add("<td class=\"n\">%s</td></tr>", rule.hits());
    }
    page.add("</table>");
  }

  private static void table(Html page, Table table) {
    page.add("<h2>%s</h2><table>", table.title());
    String cell = "th";
    for (List<String> row : table.rows()) {
      page.add("<tr>");
      for (String text : row) {
        page.add("<" + cell + ">");
        String[] lines = text.lines().toArray(String[]::new);
        for (int i = 0; i < lines.length; i++) {
          page.add(i == 0 ? "%s" : "<br>%s", lines[i]);
        }
        page.add("</" + cell + ">");
      }
      page.add("</tr>");
      cell = "td";
    }
    page.add("</table>");
  }

  private Optional<FaultRule> fault(RecordedCall call) {
    return faults.stream().filter(rule -> rule.actedOn(call.number())).findFirst();
  }

  private void slowest(Html page, List<RecordedCall> calls) {
    page.add("<h2>Slowest calls</h2><table>");
    headings(page);
    calls.stream()
        .filter(call -> call.ended().isPresent())
        .sorted(Comparator.comparing(CallTimes::taken).reversed())
        .limit(SLOWEST)
        .forEach(call -> row(page, call));
    page.add("</table>");
  }

  private static void operations(Html page, List<RecordedCall> calls) {
    page.add("<h2>Operations</h2><table><tr><th>operation</th><th class=\"n\">calls</th>")
        .add("<th class=\"n\">OK</th><th class=\"n\">median</th>")
        .add("<th class=\"n\">longest</th></tr>");
    Map<String, List<RecordedCall>> byName =
        calls.stream()
            .collect(
                Collectors.groupingBy(
                    call -> call.operation().rpcName(), LinkedHashMap::new, Collectors.toList()));
    byName.forEach(
        (name, all) -> {
          List<String> took =
              all.stream()
                  .filter(call -> call.ended().isPresent())
                  .map(CallTimes::taken)
                  .sorted()
                  .map(CallTimes::words)
                  .toList();
          page.add("<tr><td>%s</td><td class=\"n\">%s</td>", name, all.size())
              .add("<td class=\"n\">%s</td>", count(all, "ok"));
          if (took.isEmpty()) {
            page.add("<td></td><td></td></tr>");
          } else {
            page.add("<td class=\"n\">%s</td>", took.get(took.size() / 2))
                .add("<td class=\"n\">%s</td></tr>", took.get(took.size() - 1));
          }
        });
    page.add("</table>");
  }

  private void all(Html page, List<RecordedCall> calls) {
    boolean more = calls.size() > LISTED;
    page.add("<h2>All calls</h2><details><summary>")
        .add(more ? "The last %s of %s" : "%2$s", LISTED, calls.size())
        .add(" calls</summary><table>");
    headings(page);
    calls
        .subList(Math.max(0, calls.size() - LISTED), calls.size())
        .forEach(call -> row(page, call));
    page.add("</table></details>");
  }

  private static void headings(Html page) {
    page.add("<tr><th>call</th><th>volume</th><th>began</th><th class=\"n\">took</th>")
        .add("<th>ended</th></tr>");
  }

  private void row(Html page, RecordedCall call) {
    String took = call.ended().isPresent() ? CallTimes.words(CallTimes.taken(call)) : "";
    page.add("<tr><td class=\"word\">%s</td>", CallTimes.name(call))
        .add("<td>%s</td>", CallTimes.volume(call))
        .add("<td class=\"n\">%s</td>", CallTimes.clock(call.began()))
        .add("<td class=\"n\">%s</td>", took)
        .add("<td><span class=\"word %s\">", CallTimes.end(call).kind())
        .add("%s</span>", CallTimes.end(call).words());
    if (call.end().orElse(null) instanceof CallEnd.Failed failed && !failed.text().isEmpty()) {
      page.add("<br><span class=\"dim\">%s</span>", failed.text());
    }
    String by = "<br><span class=\"dim\">by an injected fault: %s</span>";
    fault(call).ifPresent(rule -> page.add(by, rule.fault().toString()));
    page.add("</td></tr>");
  }

  private static Html style() {
    try (InputStream in = ReportPage.class.getResourceAsStream("report.css")) {
      return Html.raw(in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
