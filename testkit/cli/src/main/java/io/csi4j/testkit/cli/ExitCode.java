package io.csi4j.testkit.cli;

/** The exit codes of all commands. */
final class ExitCode {

  /** All is well. */
  static final int OK = 0;

  /** Something that was looked at is not well: a case failed, a plugin answered wrongly. */
  static final int FAILED = 1;

  /** The command line, or a file that it names, makes no sense. */
  static final int USAGE = 2;

  /** The caller of the plugin that was served broke a duty. */
  static final int UNLAWFUL = 3;

  /** No plugin could be reached, none could be served, or the results could not be written. */
  static final int NO_CONNECTION = 4;

  private ExitCode() {}
}
