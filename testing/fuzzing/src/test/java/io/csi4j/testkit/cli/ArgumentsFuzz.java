package io.csi4j.testkit.cli;

import io.csi4j.fuzz.Finding;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/**
 * Arguments of the command line, one a line: they are understood, or refused with the exit code for
 * that and lines that a terminal can show. No command runs. The commands are made once: nothing of
 * one command line is left for the next.
 */
public final class ArgumentsFuzz {

  private static final StringWriter OUT = new StringWriter();
  private static final StringWriter ERR = new StringWriter();
  private static final Console CONSOLE =
      new Console(new PrintWriter(OUT), new PrintWriter(ERR), false);

  private static final CommandLine COMMANDS =
      Program.commands(CONSOLE, () -> {})
          .setExecutionStrategy(
              parsed -> {
                Integer help = CommandLine.executeHelpRequest(parsed);
                return help == null ? ExitCode.OK : help;
              });

  private ArgumentsFuzz() {}

  /** Reads the bytes as arguments. */
  public static void fuzzerTestOneInput(byte[] input) {
    String[] arguments = new String(input, StandardCharsets.UTF_8).split("\n", -1);
    int code = COMMANDS.execute(arguments);
    String out = printed(OUT);
    String err = printed(ERR);
    Finding.unless(
        code == ExitCode.OK || code == ExitCode.USAGE, () -> "exit code " + code + ": " + err);
    Finding.unless(code == ExitCode.OK || out.isEmpty(), () -> "refused, and: " + out);
    Finding.unless((code == ExitCode.USAGE) != err.isEmpty(), () -> code + " with: " + err);
    err.lines().forEach(Finding::unlessOneLine);
  }

  /** Returns what was printed since it was asked for last. */
  private static String printed(StringWriter to) {
    CONSOLE.flush();
    String text = to.toString();
    to.getBuffer().setLength(0);
    return text;
  }
}
