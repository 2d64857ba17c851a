package io.csi4j.testkit.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The whole program but for its process: arguments in, text and an exit code out. */
final class Program {

  private static final int HELP_WIDTH = 100;
  private static final int LEAST_HELP_WIDTH = 60;

  private Program() {}

  /** Runs one command line. */
  static int run(Console console, ShutdownTrigger ending, String... args) {
    return commands(console, ending, args).execute(args);
  }

  /**
   * Returns the commands, which understand a command line and run it: all of them, or those that a
   * command line names, as making all of them takes longer than most take to run.
   */
  static CommandLine commands(Console console, ShutdownTrigger ending, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("plugin", () -> plugin(console, ending, args));
    all.put("mounts", () -> mounts(console, args));
    all.put("state", () -> state(console, ending, args));
    all.put("claims", () -> claims(console, args));
    all.put("dump", () -> new CommandLine(new DumpCommand(console)));
    all.put("completion", () -> new CommandLine(new CompletionCommand(console)));
    all.put("train", () -> hidden(new CommandLine(new TrainCommand())));
    // The spelling of before there was anything but plugins.
    Map<String, Supplier<CommandLine>> before = plugins(console, ending);
    List.of("probe", "check", "serve", "proxy", "replay", "report")
        .forEach(name -> all.put(name, () -> hidden(made(before, name))));
    CommandLine commands =
        with(new CommandLine(new Csi4jCommand()), all, args, 0)
            .setOut(console.out())
            .setErr(console.err())
            .setExpandAtFiles(false)
            .setUsageHelpWidth(helpWidth(console, args))
            .setUsageHelpLongOptionsMaxWidth(34)
            .setParameterExceptionHandler((wrong, given) -> explain(wrong, console))
            .setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                  if (!(thrown instanceof RuntimeException unchecked)) {
                    throw thrown;
                  }
                  CommandFailure failure = CommandFailure.of(unchecked);
                  console.note(String.valueOf(failure.getMessage()));
                  if (failure.exitCode() == ExitCode.USAGE) {
                    pointAtHelp(command, console);
                  }
                  return failure.exitCode();
                });
    OptionText.registerWith(commands);
    commands.setColorScheme(
        CommandLine.Help.defaultColorScheme(console.screen().coloured() ? Ansi.ON : Ansi.OFF));
    return commands;
  }

  /** The width of the help, for which the terminal is asked only when there is to be one. */
  private static int helpWidth(Console console, String... args) {
    boolean isWanted = Stream.of(args).anyMatch(List.of("-h", "--help", "help")::contains);
    return isWanted
        ? Math.max(LEAST_HELP_WIDTH, Math.min(HELP_WIDTH, console.screen().width().getAsInt()))
        : HELP_WIDTH;
  }

  private static CommandLine plugin(Console console, ShutdownTrigger ending, String... args) {
    return with(
        GroupCommand.of(
            "Looks at a CSI plugin, calls it, checks it, serves one, or stands before one."),
        plugins(console, ending),
        args,
        1);
  }

  private static Map<String, Supplier<CommandLine>> plugins(
      Console console, ShutdownTrigger ending) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("probe", () -> new CommandLine(new ProbeCommand(console)));
    all.put("call", () -> new CommandLine(new CallCommand(console)));
    all.put("watch", () -> new CommandLine(new WatchCommand(console, ending)));
    all.put("check", () -> new CommandLine(new CheckCommand(console, ending)));
    all.put("serve", () -> new CommandLine(new ServeCommand(console, ending)));
    all.put("proxy", () -> new CommandLine(new ProxyCommand(console, ending)));
    all.put("replay", () -> new CommandLine(new ReplayCommand(console, ending)));
    all.put("report", () -> new CommandLine(new ReportCommand(console)));
    return all;
  }

  private static CommandLine mounts(Console console, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("list", () -> new CommandLine(new MountListCommand(console)));
    all.put("why", () -> new CommandLine(new MountWhyCommand(console)));
    all.put("holders", () -> new CommandLine(new MountHoldersCommand(console)));
    return with(
        GroupCommand.of("Shows what is mounted here, and why. Never waits for a dead mount."),
        all,
        args,
        1);
  }

  private static CommandLine state(Console console, ShutdownTrigger ending, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put(
        "show",
        () ->
            described(
                new StateCommand(console, ending, StateCommand.Show.VOLUMES),
                "Shows the volumes that a volume manager has on record, who uses them, and the calls"
                    + " that their plugins are owed.",
                "  csi4j state show /var/lib/orchestrator/volumes --json"));
    all.put(
        "check",
        () ->
            described(
                new StateCommand(console, ending, StateCommand.Show.TROUBLE),
                "Checks the state of a volume manager: its journal, the identity files of volumes,"
                    + " and whether what is on record is mounted here. Run it in the mount namespace"
                    + " of the manager.",
                "  csi4j state check /var/lib/orchestrator/volumes"));
    all.put(
        "explain",
        () ->
            described(
                new StateCommand(console, ending, StateCommand.Show.REASONS),
                "Explains each path of each volume: what is on record, what is mounted, what is owed,"
                    + " and what a start of the manager would do here.",
                "  csi4j state explain /var/lib/orchestrator/volumes --volume vol-1"));
    return with(
        GroupCommand.of(
            "Reads the directory of a volume manager without opening it: nothing is written or"
                + " locked, and the manager may run meanwhile."),
        all,
        args,
        1);
  }

  private static CommandLine described(Object command, String description, String example) {
    CommandLine made = new CommandLine(command);
    made.getCommandSpec().usageMessage().description(description).footer(example);
    return made;
  }

  private static CommandLine claims(Console console, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("list", () -> new CommandLine(new ClaimListCommand(console)));
    all.put(
        "show",
        () ->
            described(
                new ClaimCommand(console, ClaimWords::lines),
                "Shows all that is claimed of one volume.",
                "  csi4j claims show db-1 --directory /var/lib/orchestrator/claims"));
    all.put(
        "explain",
        () ->
            described(
                new ClaimCommand(console, ClaimWords::reasons),
                "Explains what each claim of a volume waits for, and what would let it go on.",
                "  csi4j claims explain db-1 --directory /var/lib/orchestrator/claims"));
    return with(GroupCommand.of("Shows who may use volumes, across machines."), all, args, 1);
  }

  /** Puts commands below another: the one whose name is at this place of the arguments, or all. */
  private static CommandLine with(
      CommandLine above, Map<String, Supplier<CommandLine>> all, String[] args, int place) {
    if (args.length > place && all.containsKey(args[place])) {
      above.addSubcommand(args[place], made(all, args[place]));
    } else {
      all.forEach((name, maker) -> above.addSubcommand(name, maker.get()));
    }
    return above;
  }

  private static CommandLine made(Map<String, Supplier<CommandLine>> all, String name) {
    return Objects.requireNonNull(all.get(name)).get();
  }

  private static CommandLine hidden(CommandLine command) {
    command.getCommandSpec().usageMessage().hidden(true);
    return command;
  }

  private static int explain(ParameterException wrong, Console console) {
    console.note(OneLine.of(String.valueOf(wrong.getMessage())));
    UnmatchedArgumentException.printSuggestions(wrong, console.err());
    pointAtHelp(wrong.getCommandLine(), console);
    return ExitCode.USAGE;
  }

  private static void pointAtHelp(CommandLine command, Console console) {
    console.note("See: " + command.getCommandSpec().qualifiedName() + " --help");
  }
}
