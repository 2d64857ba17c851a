package io.csi4j.testkit.cli;

import io.csi4j.testkit.proxy.CallReport;
import io.csi4j.testkit.recording.Recording;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates an HTML page from a recording. */
final class ReportCommand extends ProgramCommand {

  @Parameters(paramLabel = "FILE")
  private @Nullable Path file;

  @Option(names = "--output", paramLabel = "FILE")
  private @Nullable Path output;

  ReportCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    if (file == null) {
      throw CommandFailure.usage("No recording. Write FILE.");
    }
    Recording recording = UserFile.recording(file);
    Path page = output == null ? Path.of(file + ".html") : output;
    if (!OutputFile.of("the report", page).write(() -> CallReport.of(recording).html(), console)) {
      return ExitCode.NO_CONNECTION;
    }
    console.print("Wrote " + OneLine.of(page.toString()));
    return ExitCode.OK;
  }
}
