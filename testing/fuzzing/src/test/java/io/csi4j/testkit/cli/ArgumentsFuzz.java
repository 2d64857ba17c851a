package io.csi4j.testkit.cli;

import io.csi4j.fuzz.Finding;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/**
 * Arguments of the command line, one a line: they are understood, or refused with the exit code for
 * that and lines that a terminal can show. No command runs.
 */
public final class ArgumentsFuzz {

  private ArgumentsFuzz() {}

  /** Reads the bytes as arguments. */
  public static void fuzzerTestOneInput(byte[] input) {
    String[] arguments = new String(input, StandardCharsets.UTF_8).split("\n", -1);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Console console = new Console(new PrintWriter(out), new PrintWriter(err), false);
    int code =
        Program.commands(console, () -> {}, arguments)
            .setExecutionStrategy(
                parsed -> {
                  Integer help = CommandLine.executeHelpRequest(parsed);
                  return help == null ? ExitCode.OK : help;
                })
            .execute(arguments);
    console.flush();
    Finding.unless(
        code == ExitCode.OK || code == ExitCode.USAGE, () -> "exit code " + code + ": " + err);
    Finding.unless(code == ExitCode.OK || out.toString().isEmpty(), () -> "refused, and: " + out);
    Finding.unless(
        (code == ExitCode.USAGE) != err.toString().isEmpty(), () -> code + " with: " + err);
    err.toString().lines().forEach(Finding::unlessOneLine);
  }
}
