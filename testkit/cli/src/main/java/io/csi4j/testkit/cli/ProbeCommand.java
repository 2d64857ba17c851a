package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Tells who a plugin is and what it can do. */
@Command(
    description = "Tells who a CSI plugin is, whether it is ready, and what it can do.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it answered, and is ready",
      "1:it answered wrongly, failed a call that every plugin serves, or is not ready",
      "2:the command line makes no sense",
      "4:no plugin could be reached"
    },
    footerHeading = "%nExample:%n",
    footer = "  csi4j plugin probe --endpoint unix:///run/csi/csi.sock --json")
final class ProbeCommand implements Callable<Integer> {

  @Option(
      names = "--endpoint",
      paramLabel = "ENDPOINT",
      defaultValue = "${env:CSI_ENDPOINT}",
      description =
          "The socket of the plugin, such as unix:///run/csi/csi.sock. Default: $CSI_ENDPOINT.")
  private @Nullable CsiEndpoint endpoint;

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

  private final Console console;

  ProbeCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (endpoint == null) {
      throw CommandFailure.usage(
          "No plugin to look at. Write --endpoint unix:///run/csi/csi.sock, or set CSI_ENDPOINT.");
    }
    Reaching.announce(console, endpoint, timeout);
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint, Reaching.withinEach(timeout))) {
      PluginPortrait portrait = PluginPortrait.of(plugin);
      console.out().println(json ? portrait.json() : portrait.table());
      portrait.failures().forEach(failure -> console.err().println(OneLine.of(failure)));
      return portrait.ready() && portrait.failures().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    } catch (CsiConnectException e) {
      throw CommandFailure.noConnection(e.failure().message());
    } catch (CsiException e) {
      throw CommandFailure.failed(e.failure().message());
    }
  }
}
