package io.csi4j.testkit.cli;

import io.csi4j.conformance.model.ConformanceRun;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * Ends a check early when a signal arrives. Prints the path of the ledger immediately, lets the
 * current case clean up, and runs no further case. An object of this class is closed when the check
 * is done.
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
   * Starts listening for signals. Called before the check starts a plugin.
   *
   * @param ledger the file in which the check records the objects that it creates
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

  /** Sets the run whose current case becomes the last one when a signal arrives. */
  void stops(ConformanceRun run) {
    boolean unused = opened.complete(run);
  }

  /** Records that the check is done, so that a signal has no effect any more. */
  @Override
  public void close() {
    done = true;
  }
}
