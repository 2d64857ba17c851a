package io.csi4j.testkit.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program without a command: says which commands there are. */
@Command(
    name = "java -jar csi4j-testkit-cli.jar",
    description = "Serves CSI plugins to test against, looks at plugins, and checks them.",
    mixinStandardHelpOptions = true,
    versionProvider = TestkitCommand.Version.class,
    subcommands = HelpCommand.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is well",
      "1:check: a case failed. probe, proxy, replay: the plugin answered wrongly",
      "2:the command line, or a file that it names, makes no sense",
      "3:serve --referee, proxy --judge: the caller broke a duty",
      "4:no plugin could be reached, or none could be served"
    })
final class TestkitCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(),
          "A command is missing: write serve, probe, check, proxy, replay or report.");
    }
  }

  /** The version that stands in the manifest of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = TestkitCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        "csi4j-testkit-cli " + (version == null ? "(not packaged)" : version),
        "CSI 1.13, Java " + Runtime.version()
      };
    }
  }
}
