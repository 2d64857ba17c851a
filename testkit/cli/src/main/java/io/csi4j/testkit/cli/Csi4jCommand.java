package io.csi4j.testkit.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;

/** The program when it is called without a command. Prints the available commands. */
@Command(
    name = "csi4j",
    versionProvider = Csi4jCommand.Version.class,
    subcommands = HelpCommand.class)
final class Csi4jCommand extends GroupCommand {

  /** Reads the version from the manifest of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"csi4j " + number(), "CSI 1.13, Java " + Runtime.version()};
    }

    /** Returns only the version number. */
    static String number() {
      String version = Csi4jCommand.class.getPackage().getImplementationVersion();
      return version == null ? "(not packaged)" : version;
    }
  }
}
