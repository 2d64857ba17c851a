package io.csi4j.testkit.cli;

/** The exit codes of all commands. */
final class ExitCode {

  /** Success. */
  static final int OK = 0;

  /** A check found a problem: a case failed, or a plugin returned a wrong answer. */
  static final int FAILED = 1;

  /** The command line, or a file that it names, is invalid. */
  static final int USAGE = 2;

  /** The caller of the served plugin broke a duty. */
  static final int UNLAWFUL = 3;

  /**
   * A plugin was unreachable, the program could not serve a plugin, or the results could not be
   * written.
   */
  static final int NO_CONNECTION = 4;

  private ExitCode() {}
}
