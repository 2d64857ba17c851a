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
        new CommandLine(new TestkitCommand())
            .addSubcommand("serve", new ServeCommand(console, ending))
            .addSubcommand("probe", new ProbeCommand(console))
            .addSubcommand("check", new CheckCommand(console, ending))
            .addSubcommand("proxy", new ProxyCommand(console, ending))
            .addSubcommand("replay", new ReplayCommand(console, ending))
            .addSubcommand("report", new ReportCommand(console))
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
