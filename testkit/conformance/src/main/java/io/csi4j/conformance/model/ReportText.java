package io.csi4j.conformance.model;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.conformance.model.CaseResult.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The two forms of a report. */
final class ReportText {

  private static final List<Outcome> COLUMNS =
      List.of(Outcome.PASSED, Outcome.ADVICE, Outcome.SKIPPED, Outcome.NOT_RUN, Outcome.FAILED);

  private ReportText() {}

  /** The report for people. */
  static String table(ConformanceReport report) {
    StringBuilder out = new StringBuilder(1 << 12);
    out.append("Conformance of ").append(report.plugin()).append("\n\n");
    stories(out, report, Outcome.FAILED, "FAILED");
    stories(out, report, Outcome.ADVICE, "ADVICE");
    reasons(out, report, Outcome.SKIPPED, "SKIPPED");
    reasons(out, report, Outcome.NOT_RUN, "NOT RUN");
    left(out, report);
    out.append(String.format(Locale.ROOT, "%-12s", "service"));
    COLUMNS.forEach(column -> out.append(String.format(Locale.ROOT, "%9s", words(column))));
    out.append('\n');
    groups(report).forEach((group, results) -> row(out, group, results));
    row(out, "all", report.results());
    return out.toString();
  }

  private static void stories(
      StringBuilder out, ConformanceReport report, Outcome outcome, String title) {
    for (CaseResult each : report.results(outcome)) {
      out.append(title).append(' ').append(each.about().name()).append('\n');
      each.story().lines().forEach(line -> out.append("  ").append(line).append('\n'));
      out.append('\n');
    }
  }

  private static void reasons(
      StringBuilder out, ConformanceReport report, Outcome outcome, String title) {
    Map<String, List<CaseResult>> byReason =
        report.results(outcome).stream()
            .collect(
                Collectors.groupingBy(CaseResult::story, LinkedHashMap::new, Collectors.toList()));
    byReason.forEach(
        (reason, results) -> {
          out.append(title).append(", because ").append(reason).append(":\n");
          results.forEach(each -> out.append("  ").append(each.about().name()).append('\n'));
          out.append('\n');
        });
  }

  private static void left(StringBuilder out, ConformanceReport report) {
    for (CaseResult each : report.results()) {
      if (!each.leftBehind().isEmpty()) {
        out.append("LEFT BEHIND by ").append(each.about().name()).append('\n');
        each.leftBehind().forEach(line -> out.append("  ").append(line).append('\n'));
        out.append('\n');
      }
    }
  }

  private static void row(StringBuilder out, String name, List<CaseResult> results) {
    out.append(String.format(Locale.ROOT, "%-12s", name));
    for (Outcome column : COLUMNS) {
      long count = results.stream().filter(each -> each.outcome() == column).count();
      out.append(String.format(Locale.ROOT, "%9d", count));
    }
    out.append('\n');
  }

  private static String words(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static Map<String, List<CaseResult>> groups(ConformanceReport report) {
    return report.results().stream()
        .collect(
            Collectors.groupingBy(
                each -> each.about().group(), LinkedHashMap::new, Collectors.toList()));
  }

  /** The report as JUnit's runners write it. */
  static String junitXml(ConformanceReport report) {
    StringBuilder out = new StringBuilder(1 << 14);
    out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    totals(out, report.results());
    out.append(">\n");
    groups(report).forEach((group, results) -> suite(out, group, results));
    return out.append("</testsuites>\n").toString();
  }

  private static void suite(StringBuilder out, String group, List<CaseResult> results) {
    out.append("  <testsuite name=\"").append(xml(group)).append('"');
    totals(out, results);
    out.append(">\n");
    results.forEach(each -> testcase(out, each));
    out.append("  </testsuite>\n");
  }

  private static void totals(StringBuilder out, List<CaseResult> results) {
    Duration took = results.stream().map(CaseResult::took).reduce(Duration.ZERO, Duration::plus);
    long failures = results.stream().filter(each -> each.outcome() == Outcome.FAILED).count();
    long skipped = results.stream().filter(each -> each.outcome() == Outcome.SKIPPED).count();
    long errors =
        results.stream().filter(each -> !each.clean() && each.outcome() != Outcome.FAILED).count();
    out.append(" tests=\"").append(results.size());
    out.append("\" failures=\"").append(failures);
    out.append("\" errors=\"").append(errors);
    out.append("\" skipped=\"").append(skipped);
    out.append("\" time=\"").append(seconds(took)).append('"');
  }

  private static void testcase(StringBuilder out, CaseResult result) {
    out.append("    <testcase classname=\"csi.").append(xml(result.about().group()));
    out.append("\" name=\"").append(xml(result.about().name()));
    out.append("\" time=\"").append(seconds(result.took())).append("\">\n");
    List<String> lines = new ArrayList<>();
    String first = xml(result.story().lines().findFirst().orElse(""));
    switch (result.outcome()) {
      case FAILED -> lines.add(element("failure", first, result.story()));
      case NOT_RUN -> lines.add(element("error", "not run: " + first, result.story()));
      case SKIPPED -> lines.add("<skipped message=\"" + first + "\"/>");
      case ADVICE -> lines.add("<system-out>" + xml(result.story()) + "</system-out>");
      case PASSED -> {}
    }
    if (!result.leftBehind().isEmpty()) {
      String left = String.join("\n", result.leftBehind());
      lines.add(
          result.outcome() == Outcome.FAILED || result.outcome() == Outcome.NOT_RUN
              ? "<system-err>left behind: " + xml(left) + "</system-err>"
              : element("error", "left behind", left));
    }
    lines.forEach(line -> out.append("      ").append(line).append('\n'));
    out.append("    </testcase>\n");
  }

  private static String element(String name, String message, String body) {
    return "<" + name + " message=\"" + message + "\">" + xml(body) + "</" + name + ">";
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.3f", time.toNanos() / 1e9);
  }

  private static String xml(String text) {
    return text.lines()
        .map(line -> SafeText.escape(line, Integer.MAX_VALUE))
        .collect(Collectors.joining("\n"))
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
