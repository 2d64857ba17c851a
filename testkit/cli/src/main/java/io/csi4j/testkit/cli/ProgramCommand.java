package io.csi4j.testkit.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** A command: what the help of all commands has, and where they print. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    footerHeading = "%nExample:%n")
abstract class ProgramCommand implements Callable<Integer> {

  final Console console;

  ProgramCommand(Console console) {
    this.console = console;
  }
}
