package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.mount.model.MountException;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.state.StateException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Thrown to end a command with a message for the user and an exit code. */
final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int exitCode;

  private CommandFailure(int exitCode, String message) {
    super(message, null, false, false);
    this.exitCode = exitCode;
  }

  /** Returns the failure for an invalid command line. */
  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCode.USAGE, message);
  }

  /** Returns the failure for a plugin that is unreachable, or that the program cannot serve. */
  static CommandFailure noConnection(String message) {
    return new CommandFailure(ExitCode.NO_CONNECTION, message);
  }

  /** Returns the failure for a problem of the plugin. */
  static CommandFailure failed(String message) {
    return new CommandFailure(ExitCode.FAILED, message);
  }

  /** Reads a value of the command line. A value that is refused becomes a usage error. */
  static <T> T orUsage(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (IllegalArgumentException refused) {
      throw usage(OneLine.of(String.valueOf(refused.getMessage())));
    }
  }

  /** Checks a value of the command line. A value that is refused becomes a usage error. */
  static void check(Runnable checking) {
    var unused =
        orUsage(
            () -> {
              checking.run();
              return true;
            });
  }

  /**
   * Returns the failure with which a command ends after this exception. An exception that indicates
   * a bug is rethrown.
   */
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
