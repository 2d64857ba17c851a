package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiEndpoint;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the identity and the capabilities of a plugin. */
final class ProbeCommand extends ProgramCommand {

  @Mixin private PluginOption target = new PluginOption();

  @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "5s")
  private Duration timeout = Duration.ofSeconds(5);

  @Option(names = "--json")
  private boolean json;

  ProbeCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    CsiEndpoint endpoint = target.needed("to probe");
    Reaching.announce(console, endpoint, timeout);
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint, Reaching.withinEach(timeout))) {
      PluginPortrait portrait = PluginPortrait.of(plugin);
      console.print(json ? portrait.json() : portrait.table());
      portrait.failures().forEach(failure -> console.note(OneLine.of(failure)));
      return portrait.ready() && portrait.failures().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}
