package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Looks at a plugin again and again, and tells what has changed. */
@Command(
    description =
        "Watches a CSI plugin until Ctrl-C or SIGTERM: a line for each change of its health, its"
            + " process, its version, what it offers, and how it knows this node. Each look is a"
            + " connection of its own.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ended as asked, and the plugin was ready at the last look",
      "1:ended as asked, and the plugin was not ready at the last look; or it could not be watched",
      "2:the command line makes no sense",
      "4:a change could not be printed, as when no process reads it any more"
    },
    footerHeading = "%nExample:%n",
    footer = "  csi4j plugin watch --endpoint unix:///run/csi/csi.sock --every 2s --json")
final class WatchCommand implements Callable<Integer> {

  @Option(
      names = "--endpoint",
      paramLabel = "ENDPOINT",
      defaultValue = "${env:CSI_ENDPOINT}",
      description =
          "The socket of the plugin, such as unix:///run/csi/csi.sock. Default: $CSI_ENDPOINT.")
  private @Nullable CsiEndpoint endpoint;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      defaultValue = "5s",
      description = "The time between two looks. Default: ${DEFAULT-VALUE}.")
  private Duration every = Duration.ofSeconds(5);

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "2s",
      description =
          "How long to wait for a socket that answers, and for each answer."
              + " Default: ${DEFAULT-VALUE}.")
  private Duration timeout = Duration.ofSeconds(2);

  @Option(names = "--json", description = "Print an object on a line for each change.")
  private boolean json;

  private final Console console;
  private final ShutdownTrigger ending;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean ready;
  private volatile boolean unread;

  WatchCommand(Console console, ShutdownTrigger ending) {
    this.console = console;
    this.ending = ending;
  }

  @Override
  public Integer call() throws InterruptedException {
    CsiEndpoint where = endpoint;
    if (where == null) {
      throw CommandFailure.usage(
          "No plugin to watch. Write --endpoint unix:///run/csi/csi.sock, or set CSI_ENDPOINT.");
    }
    CompletableFuture<Void> over = new CompletableFuture<>();
    ending.whenAsked(
        () -> {
          boolean unused = over.complete(null);
        });
    Thread looking = new Thread(() -> lookUntilOver(where, over), "csi4j-cli-watch");
    looking.setDaemon(true);
    looking.start();
    try {
      over.get();
    } catch (ExecutionException e) {
      throw CommandFailure.failed(
          "The plugin is not watched any more: "
              + OneLine.of(String.valueOf(e.getCause()))
              + ". Report this.");
    }
    ended.countDown();
    looking.join(timeout.multipliedBy(2).toMillis());
    if (unread) {
      return ExitCode.NO_CONNECTION;
    }
    return ready ? ExitCode.OK : ExitCode.FAILED;
  }

  private void lookUntilOver(CsiEndpoint where, CompletableFuture<Void> over) {
    try {
      look(where);
      boolean unused = over.complete(null);
    } catch (RuntimeException | Error failed) {
      ready = false;
      boolean unused = over.completeExceptionally(failed);
    }
  }

  private void look(CsiEndpoint where) {
    PluginSight before = PluginSight.NONE;
    try {
      do {
        PluginSight now = look(where, before);
        ready = now.ready();
        now.changesSince(before).forEach(this::tell);
        before = now;
      } while (!unread && !ended.await(every.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
    console
        .out()
        .println(
            json
                ? new Json()
                    .with("at", at)
                    .with("change", change.kind())
                    .with("text", change.text())
                    .toString()
                : String.format("%-24s  %-12s  %s", at, change.kind(), OneLine.of(change.text())));
    console.out().flush();
    unread = console.out().checkError();
  }
}
