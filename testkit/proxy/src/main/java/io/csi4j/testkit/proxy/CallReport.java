package io.csi4j.testkit.proxy;

import io.csi4j.testkit.Referee;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.internal.proxy.PluginAnswerRules;
import io.csi4j.testkit.internal.proxy.RecordingWriter;
import io.csi4j.testkit.internal.report.ReportPage;
import io.csi4j.testkit.recording.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A report of calls for a browser: one page that needs no server, no network and no script.
 *
 * <p>It shows the calls on a time line by volume, the calls in flight, the duties that the caller
 * kept and broke, the answers of the plugin that break the spec, the faults, and the slowest calls.
 * Texts from callers and plugins are escaped; the page contains no secrets.
 *
 * @since 1.0
 */
public final class CallReport {

  private final ReportPage page;

  private CallReport(ReportPage page) {
    this.page = page;
  }

  /** Reports the calls that have passed through a proxy so far. */
  public static CallReport of(CsiProxy proxy) {
    return new CallReport(
        new ReportPage(
            "Calls to " + proxy.plugin(),
            proxy.journal().events(),
            proxy.verdict(),
            proxy.findings(),
            proxy.faults(),
            List.of()));
  }

  /** Reports the calls that a test plugin has received so far. */
  public static CallReport of(TestPlugin plugin) {
    return new CallReport(
        new ReportPage(
            "Calls to " + plugin.shape().name(),
            plugin.journal().events(),
            plugin.verdict(),
            List.of(),
            plugin.faults(),
            List.of()));
  }

  /** Reports the calls of a recording. */
  public static CallReport of(Recording recording) {
    return new CallReport(
        new ReportPage(
            "Recorded calls",
            recording.events(),
            Referee.judge(recording.events()),
            PluginAnswerRules.broken(recording.calls()),
            List.of(),
            List.of()));
  }

  /**
   * Returns the report without a judgement of the caller, for a caller that breaks duties on
   * purpose.
   */
  public CallReport withoutVerdict() {
    return new CallReport(
        new ReportPage(
            page.title(), page.events(), null, page.findings(), page.faults(), page.tables()));
  }

  /**
   * Returns the report with a table before the calls, for example of the tests that made them.
   *
   * @param title the heading above it
   * @param rows the names of the columns, and the rows; shown as plain text
   */
  public CallReport withTable(String title, List<List<String>> rows) {
    List<ReportPage.Table> tables = new ArrayList<>(page.tables());
    tables.add(new ReportPage.Table(title, rows.stream().map(List::copyOf).toList()));
    return new CallReport(
        new ReportPage(
            page.title(), page.events(), page.verdict(), page.findings(), page.faults(), tables));
  }

  /** Returns the complete page. */
  public String html() {
    return page.html();
  }

  /**
   * Writes the page to a file.
   *
   * @throws UncheckedIOException if the page cannot be written; the message names the file and the
   *     reason
   */
  public void write(Path file) {
    try {
      Files.writeString(file, html());
    } catch (IOException e) {
      throw new UncheckedIOException(RecordingWriter.cannot("Writing the report", file, e));
    }
  }
}
