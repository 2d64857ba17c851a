package io.csi4j.testkit.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The base class of all commands, with the common help options and the output. */
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
