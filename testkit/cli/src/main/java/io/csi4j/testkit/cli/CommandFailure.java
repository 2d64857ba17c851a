package io.csi4j.testkit.cli;

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

  int exitCode() {
    return exitCode;
  }
}
