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

/** Formats a report. */
final class ReportText {

  private static final List<Outcome> COLUMNS =
      List.of(Outcome.PASSED, Outcome.ADVICE, Outcome.SKIPPED, Outcome.NOT_RUN, Outcome.FAILED);

  /** Maximum length of a line that lists names of cases. */
  private static final int WIDTH = 120;

  private ReportText() {}

  /** Returns the complete report as text. */
  static String text(ConformanceReport report) {
    StringBuilder out = new StringBuilder(1 << 12);
    out.append("Conformance of ").append(report.subject()).append("\n\n");
    stories(out, report, Outcome.FAILED);
    stories(out, report, Outcome.ADVICE);
    reasons(out, report, Outcome.SKIPPED);
    reasons(out, report, Outcome.NOT_RUN);
    left(out, report);
    table(out, report);
    return out.toString();
  }

  /** Returns the summary as text: only the causes and the counts. */
  static String summary(ConformanceReport report) {
    StringBuilder out = new StringBuilder(1 << 10);
    for (Outcome outcome : List.of(Outcome.FAILED, Outcome.NOT_RUN, Outcome.ADVICE)) {
      for (CauseGroup group : CauseGroup.of(report.results(outcome))) {
        out.append(title(outcome)).append(' ').append(heading(group));
        out.append(group.results().size() == 1 ? ": " + group.cause() : "").append('\n');
      }
    }
    table(out, report);
    return out.toString();
  }

  private static String heading(CauseGroup group) {
    String first = group.first().about().name();
    return group.results().size() == 1
        ? first
        : "%s cases for one reason, first seen in %s: %s"
            .formatted(group.results().size(), first, group.cause());
  }

  /** Appends each cause, with the details of the first case that has this cause. */
  private static void stories(StringBuilder out, ConformanceReport report, Outcome outcome) {
    for (CauseGroup group : CauseGroup.of(report.results(outcome))) {
      out.append(title(outcome)).append(' ').append(heading(group)).append('\n');
      group.first().story().lines().forEach(line -> out.append("  ").append(line).append('\n'));
      names(out, group.others());
      group
          .furtherCauses()
          .forEach(
              (name, causes) -> {
                out.append("  also in ").append(name).append(", which has further causes:\n");
                causes.forEach(cause -> out.append("    ").append(cause).append('\n'));
              });
      out.append('\n');
    }
  }

  private static void names(StringBuilder out, List<String> names) {
    if (names.isEmpty()) {
      return;
    }
    out.append("  also in:");
    int length = WIDTH;
    for (String name : names) {
      if (length + name.length() + 1 > WIDTH) {
        out.append("\n   ");
        length = 3;
      }
      out.append(' ').append(name);
      length += name.length() + 1;
    }
    out.append('\n');
  }

  /**
   * Appends each cause with the names of its cases. Details are omitted, because they add no
   * information.
   */
  private static void reasons(StringBuilder out, ConformanceReport report, Outcome outcome) {
    for (CauseGroup group : CauseGroup.of(report.results(outcome))) {
      out.append(title(outcome)).append(", because ").append(group.cause()).append(":\n");
      group.results().forEach(each -> out.append("  ").append(each.about().name()).append('\n'));
      out.append('\n');
    }
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

  private static void table(StringBuilder out, ConformanceReport report) {
    out.append(String.format(Locale.ROOT, "%-12s", "group"));
    COLUMNS.forEach(
        column ->
            out.append(String.format(Locale.ROOT, "%9s", title(column).toLowerCase(Locale.ROOT))));
    out.append('\n');
    groups(report).forEach((group, results) -> row(out, group, results));
    row(out, "all", report.results());
  }

  private static void row(StringBuilder out, String name, List<CaseResult> results) {
    out.append(String.format(Locale.ROOT, "%-12s", name));
    for (Outcome column : COLUMNS) {
      long count = results.stream().filter(each -> each.outcome() == column).count();
      out.append(String.format(Locale.ROOT, "%9d", count));
    }
    out.append('\n');
  }

  private static String title(Outcome outcome) {
    return outcome.name().replace('_', ' ');
  }

  private static Map<String, List<CaseResult>> groups(ConformanceReport report) {
    return report.results().stream()
        .collect(
            Collectors.groupingBy(
                each -> each.about().group(), LinkedHashMap::new, Collectors.toList()));
  }

  /** Returns the report in the format of JUnit's runners. */
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
