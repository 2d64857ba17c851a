package io.csi4j.testkit.cli;

import io.csi4j.testkit.proxy.CallReport;
import io.csi4j.testkit.recording.Recording;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a page of a recording. */
@Command(
    description = {
      "Makes a page of HTML of a recording: a line of time by volume, calls in flight, duties kept"
          + " and broken, answers against the spec, the slowest calls. It needs no server and no"
          + " script."
    },
    exitCodeList = {
      "0:it is written",
      "2:the command line or the recording makes no sense",
      "4:it could not be written"
    },
    footer = "  csi4j plugin report calls.jsonl --output calls.html")
final class ReportCommand extends ProgramCommand {

  @Parameters(paramLabel = "FILE", description = "The recording.")
  private @Nullable Path file;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "The page. Default: that of the recording, with .html at its end.")
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
