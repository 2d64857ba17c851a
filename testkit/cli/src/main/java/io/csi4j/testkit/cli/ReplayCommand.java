package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.proxy.CallReplay;
import io.csi4j.testkit.proxy.RecordedPlugin;
import io.csi4j.testkit.recording.Recording;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Replays a recording. The command sends the recorded calls to a plugin, or serves the recorded
 * answers as a plugin.
 */
final class ReplayCommand extends ProgramCommand {

  @Parameters(paramLabel = "FILE")
  private @Nullable Path file;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private @Nullable Side side;

  /** The two options, of which the command line must contain exactly one. */
  static final class Side {
    @Option(names = "--against", paramLabel = "ENDPOINT")
    private @Nullable CsiEndpoint against;

    @Option(names = "--listen", paramLabel = "ENDPOINT")
    private @Nullable CsiEndpoint listen;
  }

  @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "60s")
  private Duration timeout = Duration.ofSeconds(60);

  private final ShutdownTrigger ending;

  ReplayCommand(Console console, ShutdownTrigger ending) {
    super(console);
    this.ending = ending;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (file == null || side == null) {
      throw CommandFailure.usage("Write FILE and --against ENDPOINT or --listen ENDPOINT.");
    }
    Recording recording = UserFile.recording(file);
    return side.against == null ? serve(recording, side) : play(recording, side.against);
  }

  private int play(Recording recording, CsiEndpoint plugin) {
    List<CallReplay.Played> played = CallReplay.of(recording).deadline(timeout).against(plugin);
    played.forEach(each -> console.print(each));
    long differing = played.stream().filter(each -> !each.differences().isEmpty()).count();
    console.print(
        differing == 0
            ? "All " + played.size() + " calls ended as recorded."
            : differing + " of " + played.size() + " calls did not end as recorded.");
    long redacted = played.stream().filter(CallReplay.Played::perhapsRedacted).count();
    if (redacted > 0) {
      console.print(
          redacted
              + " of these may differ because of values that the recording leaves out. To keep"
              + " them, record again with: csi4j plugin proxy --record FILE --record-secrets");
    }
    return differing == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private int serve(Recording recording, Side chosen) throws InterruptedException {
    if (chosen.listen == null) {
      throw CommandFailure.usage("Write --against ENDPOINT or --listen ENDPOINT.");
    }
    ending.listen();
    try (RecordedPlugin plugin = RecordedPlugin.at(chosen.listen.path(), recording)) {
      console.print(
          "Replaying a recording of %s calls on %s. End it with Ctrl-C."
              .formatted(recording.calls().size(), plugin.endpoint()));
      ending.await();
      return ExitCode.OK;
    }
  }
}
