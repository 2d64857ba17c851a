package io.csi4j.testkit.cli;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The whole program but for its process: arguments in, text and an exit code out. */
final class Program {

  private Program() {}

  /** Runs one command line. */
  static int run(Console console, ShutdownTrigger ending, String... args) {
    return commands(console, ending).execute(args);
  }

  /** Returns the commands, which understand a command line and run it. */
  static CommandLine commands(Console console, ShutdownTrigger ending) {
    CommandLine commands =
        new CommandLine(new Csi4jCommand())
            .addSubcommand("plugin", plugin(console, ending))
            .addSubcommand("mounts", mounts(console))
            .addSubcommand("state", state(console))
            .addSubcommand("claims", claims(console))
            .addSubcommand("dump", new DumpCommand(console))
            .addSubcommand("completion", new CompletionCommand(console))
            .addSubcommand("train", hidden(new TrainCommand()))
            // The spelling of before there was anything but plugins.
            .addSubcommand("probe", hidden(new ProbeCommand(console)))
            .addSubcommand("check", hidden(new CheckCommand(console, ending)))
            .addSubcommand("serve", hidden(new ServeCommand(console, ending)))
            .addSubcommand("proxy", hidden(new ProxyCommand(console, ending)))
            .addSubcommand("replay", hidden(new ReplayCommand(console, ending)))
            .addSubcommand("report", hidden(new ReportCommand(console)))
            .setOut(console.out())
            .setErr(console.err())
            .setExpandAtFiles(false)
            .setUsageHelpWidth(100)
            .setUsageHelpLongOptionsMaxWidth(34)
            .setParameterExceptionHandler((wrong, given) -> explain(wrong, console))
            .setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                  if (thrown instanceof CommandFailure failure) {
                    console.err().println(failure.getMessage());
                    if (failure.exitCode() == ExitCode.USAGE) {
                      pointAtHelp(command, console);
                    }
                    return failure.exitCode();
                  }
                  throw thrown;
                });
    OptionText.registerWith(commands);
    if (!console.terminal()) {
      commands.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    }
    return commands;
  }

  private static CommandLine plugin(Console console, ShutdownTrigger ending) {
    return GroupCommand.of(
            "Looks at a CSI plugin, calls it, checks it, serves one, or stands before one.")
        .addSubcommand("probe", new ProbeCommand(console))
        .addSubcommand("call", new CallCommand(console))
        .addSubcommand("watch", new WatchCommand(console, ending))
        .addSubcommand("check", new CheckCommand(console, ending))
        .addSubcommand("serve", new ServeCommand(console, ending))
        .addSubcommand("proxy", new ProxyCommand(console, ending))
        .addSubcommand("replay", new ReplayCommand(console, ending))
        .addSubcommand("report", new ReportCommand(console));
  }

  private static CommandLine mounts(Console console) {
    return GroupCommand.of("Shows what is mounted here, and why. Never waits for a dead mount.")
        .addSubcommand("list", new MountListCommand(console))
        .addSubcommand("why", new MountWhyCommand(console))
        .addSubcommand("holders", new MountHoldersCommand(console));
  }

  private static CommandLine state(Console console) {
    return GroupCommand.of(
            "Reads the directory of a volume manager without opening it: nothing is written or"
                + " locked, and the manager may run meanwhile.")
        .addSubcommand("show", described(new StateCommand(console, StateCommand.Show.VOLUMES)))
        .addSubcommand("check", described(new StateCommand(console, StateCommand.Show.TROUBLE)))
        .addSubcommand("explain", described(new StateCommand(console, StateCommand.Show.REASONS)));
  }

  private static CommandLine described(StateCommand command) {
    CommandLine made = new CommandLine(command);
    made.getCommandSpec()
        .usageMessage()
        .description(command.show().description())
        .footer(command.show().example());
    return made;
  }

  private static CommandLine claims(Console console) {
    return GroupCommand.of("Shows who may use volumes, across machines.")
        .addSubcommand("list", new ClaimListCommand(console))
        .addSubcommand("show", new ClaimShowCommand(console))
        .addSubcommand("explain", new ClaimExplainCommand(console));
  }

  private static CommandLine hidden(Object command) {
    CommandLine made = new CommandLine(command);
    made.getCommandSpec().usageMessage().hidden(true);
    return made;
  }

  private static int explain(ParameterException wrong, Console console) {
    console.err().println(OneLine.of(String.valueOf(wrong.getMessage())));
    UnmatchedArgumentException.printSuggestions(wrong, console.err());
    pointAtHelp(wrong.getCommandLine(), console);
    return ExitCode.USAGE;
  }

  private static void pointAtHelp(CommandLine command, Console console) {
    console.err().println("See: " + command.getCommandSpec().qualifiedName() + " --help");
  }
}
