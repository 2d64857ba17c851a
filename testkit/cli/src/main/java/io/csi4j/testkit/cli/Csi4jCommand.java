package io.csi4j.testkit.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;

/** The program without a command: says which commands there are. */
@Command(
    name = "csi4j",
    description =
        "CSI plugins, mounts, and the state and claims of csi4j, looked at from a shell. Nothing is"
            + " changed but by the commands of plugin.",
    versionProvider = Csi4jCommand.Version.class,
    subcommands = HelpCommand.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is well",
      "1:what was looked at is not well: a case failed, a plugin or a state has trouble",
      "2:the command line, or a file that it names, makes no sense",
      "3:plugin serve --referee, plugin proxy --judge: the caller broke a duty",
      "4:nothing could be reached, read or served, or the results could not be written"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j plugin probe --endpoint unix:///run/csi/csi.sock",
      "  csi4j state explain /var/lib/orchestrator/volumes",
      "  csi4j mounts holders /mnt/data"
    })
final class Csi4jCommand extends GroupCommand {

  /** The version that stands in the manifest of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"csi4j " + number(), "CSI 1.13, Java " + Runtime.version()};
    }

    /** The number alone. */
    static String number() {
      String version = Csi4jCommand.class.getPackage().getImplementationVersion();
      return version == null ? "(not packaged)" : version;
    }
  }
}
