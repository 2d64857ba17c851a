package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks a plugin repeatedly, and prints the changes. */
final class WatchCommand extends ProgramCommand {

  @Mixin private PluginOption target = new PluginOption();

  @Option(names = "--every", paramLabel = "TIME", defaultValue = "5s")
  private Duration every = Duration.ofSeconds(5);

  @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "2s")
  private Duration timeout = Duration.ofSeconds(2);

  @Option(names = "--json")
  private boolean json;

  private final ShutdownTrigger ending;

  WatchCommand(Console console, ShutdownTrigger ending) {
    super(console);
    this.ending = ending;
  }

  @Override
  public Integer call() {
    CsiEndpoint where = target.needed("to watch");
    // The interrupt also ends a check that is still waiting for the plugin.
    ending.whenAsked(Thread.currentThread()::interrupt);
    PluginSight seen = PluginSight.NONE;
    try {
      for (PluginSight now = look(where, seen); !Thread.interrupted(); now = look(where, seen)) {
        now.changesSince(seen).forEach(this::tell);
        if (console.out().checkError()) {
          return ExitCode.NO_CONNECTION;
        }
        seen = now;
        Thread.sleep(every.toMillis());
      }
    } catch (InterruptedException asked) {
      // The program was asked to end. The result of the last complete check is used.
    } catch (RuntimeException bug) {
      throw CommandFailure.failed(
          "Watching the plugin failed: " + OneLine.of(bug.toString()) + ". Report this.");
    }
    return seen.ready() ? ExitCode.OK : ExitCode.FAILED;
  }

  private PluginSight look(CsiEndpoint where, PluginSight before) {
    try (CsiPlugin plugin = CsiPlugin.connect(where, Reaching.withinEach(timeout))) {
      return PluginSight.of(PluginPortrait.of(plugin));
    } catch (CsiConnectException e) {
      return before.gone(e.failure().why());
    } catch (CsiException e) {
      return before.gone(e.failure().message());
    }
  }

  private void tell(PluginSight.Change change) {
    Instant at = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    console.print(
        json
            ? new Json().with("at", at).with("change", change.kind()).with("text", change.text())
            : String.format("%-24s  %-12s  %s", at, change.kind(), OneLine.of(change.text())));
  }
}
