package io.csi4j.testkit.cli;

import io.csi4j.testkit.proxy.CallReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The page that a command line asks for, or none: that it can be written shows at the start. */
final class ReportFile {

  private final @Nullable PrintWriter out;

  private ReportFile(@Nullable PrintWriter out) {
    this.out = out;
  }

  static ReportFile of(@Nullable Path file) {
    return new ReportFile(file == null ? null : UserFile.writer("the report", file));
  }

  /** Writes the page. */
  void write(Supplier<CallReport> report) {
    if (out != null) {
      out.print(report.get().html());
      UserFile.close("the report", out);
    }
  }
}
