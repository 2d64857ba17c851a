package io.csi4j.testkit.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups its subcommands. */
@Command(
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n")
class GroupCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      String commands =
          OptionText.oneOf(
              spec.subcommands().entrySet().stream()
                  .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                  .map(Map.Entry::getKey)
                  .filter(name -> !name.equals("help")));
      throw new ParameterException(
          spec.commandLine(), "A command is missing: write " + commands + ".");
    }
  }
}
