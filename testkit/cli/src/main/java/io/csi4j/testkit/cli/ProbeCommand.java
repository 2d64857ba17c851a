package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiEndpoint;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells who a plugin is and what it can do. */
@Command(
    description = "Tells who a CSI plugin is, whether it is ready, and what it can do.",
    exitCodeList = {
      "0:it answered, and is ready",
      "1:it answered wrongly, failed a call that every plugin serves, or is not ready",
      "2:the command line makes no sense",
      "4:no plugin could be reached"
    },
    footer = "  csi4j plugin probe --endpoint unix:///run/csi/csi.sock --json")
final class ProbeCommand extends ProgramCommand {

  @Mixin private PluginOption target = new PluginOption();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "5s",
      description =
          "How long to wait for a socket that answers, and for each answer."
              + " Default: ${DEFAULT-VALUE}.")
  private Duration timeout = Duration.ofSeconds(5);

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  ProbeCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    CsiEndpoint endpoint = target.needed("to look at");
    Reaching.announce(console, endpoint, timeout);
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint, Reaching.withinEach(timeout))) {
      PluginPortrait portrait = PluginPortrait.of(plugin);
      console.print(json ? portrait.json() : portrait.table());
      portrait.failures().forEach(failure -> console.note(OneLine.of(failure)));
      return portrait.ready() && portrait.failures().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}
