package io.csi4j.testkit.cli;

import io.csi4j.conformance.model.ConformanceRun;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * Ends a check early when a signal arrives: prints the path of the ledger at once, lets the current
 * case clean up, and runs no other case. Closed when the check is done.
 */
final class EarlyEnd implements AutoCloseable {

  private final Console console;
  private final Path ledger;
  private final CompletableFuture<ConformanceRun> opened = new CompletableFuture<>();
  private volatile boolean done;

  private EarlyEnd(Console console, Path ledger) {
    this.console = console;
    this.ledger = ledger;
  }

  /**
   * Listens from now on, because a plugin may be started next.
   *
   * @param ledger the file in which the check records what it creates
   */
  static EarlyEnd listen(Console console, ShutdownTrigger ending, Path ledger) {
    EarlyEnd end = new EarlyEnd(console, ledger);
    ending.whenAsked(end::begin);
    return end;
  }

  private void begin() {
    if (!done) {
      console.note(
          "Ending as requested. Remove what the check leaves behind with --cleanup " + ledger);
      var unused = opened.thenAccept(ConformanceRun::stop);
    }
  }

  /** Makes the current case the last one of this run. */
  void stops(ConformanceRun run) {
    boolean unused = opened.complete(run);
  }

  /** Records that nothing remains to be ended. */
  @Override
  public void close() {
    done = true;
  }
}
