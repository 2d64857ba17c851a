package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.mount.model.MountException;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.state.StateException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Ends a command with a message for a person and an exit code. */
final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int exitCode;

  private CommandFailure(int exitCode, String message) {
    super(message, null, false, false);
    this.exitCode = exitCode;
  }

  /** The command line makes no sense. */
  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCode.USAGE, message);
  }

  /** Nothing could be reached, or nothing be served. */
  static CommandFailure noConnection(String message) {
    return new CommandFailure(ExitCode.NO_CONNECTION, message);
  }

  /** The plugin is not well. */
  static CommandFailure failed(String message) {
    return new CommandFailure(ExitCode.FAILED, message);
  }

  /** Returns what the command line says; a value that is refused makes no sense. */
  static <T> T orUsage(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (IllegalArgumentException refused) {
      throw usage(OneLine.of(String.valueOf(refused.getMessage())));
    }
  }

  /** Checks what the command line says; a value that is refused makes no sense. */
  static void check(Runnable checking) {
    var unused =
        orUsage(
            () -> {
              checking.run();
              return true;
            });
  }

  /** The failure of a command that ends with this exception. Throws an exception that is a bug. */
  static CommandFailure of(RuntimeException thrown) {
    if (thrown instanceof CommandFailure failure) {
      return failure;
    } else if (thrown instanceof CsiException call) {
      String message = call.failure().message();
      return call instanceof CsiConnectException ? noConnection(message) : failed(message);
    } else if (thrown instanceof UncheckedIOException) {
      return noConnection(String.valueOf(thrown.getMessage()));
    } else if (thrown instanceof MountException
        || thrown instanceof StateException
        || thrown instanceof OperatorException) {
      return noConnection(OneLine.of(String.valueOf(thrown.getMessage())));
    }
    throw thrown;
  }

  /** Returns the same failure with another text. */
  CommandFailure reworded(UnaryOperator<String> wording) {
    return new CommandFailure(exitCode, wording.apply(String.valueOf(getMessage())));
  }

  int exitCode() {
    return exitCode;
  }
}
