package io.csi4j.examples;

import io.csi4j.volume.contend.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Watches over processes that stand still: they go on when this process ends, however that comes
 * about. A process that stands still could not notice that itself.
 */
final class RigGuard implements AutoCloseable {

  private static final String AT_THE_END = "read ignored; kill -CONT \"$@\"";

  private final Process guard;

  private RigGuard(Process guard) {
    this.guard = guard;
  }

  /** Watches over these processes. */
  static RigGuard of(Collection<Long> processes) {
    List<String> command = new ArrayList<>(List.of("sh", "-c", AT_THE_END, "guard"));
    processes.forEach(each -> command.add(each.toString()));
    try {
      return new RigGuard(
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Stops a process until the result is run. */
  static Runnable stop(long process) {
    RigGuard guard = of(List.of(process));
    ProcessHandle.of(process).ifPresent(Signals::stop);
    return () -> {
      ProcessHandle.of(process).ifPresent(each -> Signals.sendUnlessEnded("CONT", each));
      guard.close();
    };
  }

  @Override
  public void close() {
    guard.destroyForcibly();
    guard.onExit().join();
  }
}
