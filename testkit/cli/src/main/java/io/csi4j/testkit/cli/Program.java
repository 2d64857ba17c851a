package io.csi4j.testkit.cli;

import io.csi4j.testkit.cli.StateCommand.Show;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The program, independent of its process. It takes arguments, prints to a console, and returns an
 * exit code.
 */
final class Program {

  private static final int HELP_WIDTH = 100;
  private static final int LEAST_HELP_WIDTH = 60;

  /** Subcommands of {@code plugin} for which the word {@code plugin} may be omitted. */
  private static final Set<String> SPELLED_SHORT =
      Set.of("probe", "check", "serve", "proxy", "replay", "report");

  private Program() {}

  /** Runs one command line. */
  static int run(Console console, ShutdownTrigger ending, String... args) {
    String[] given =
        SPELLED_SHORT.contains(args.length == 0 ? "" : args[0])
            ? Stream.concat(Stream.of("plugin"), Stream.of(args)).toArray(String[]::new)
            : args;
    return commands(console, ending, given).execute(given);
  }

  /**
   * Returns the commands that parse and run a command line. If the command line names a command,
   * only that command is created, because creating all commands takes longer than running most of
   * them.
   */
  static CommandLine commands(Console console, ShutdownTrigger ending, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("plugin", () -> plugin(console, ending, args));
    all.put("mounts", () -> mounts(console, args));
    all.put("state", () -> state(console, ending, args));
    all.put("volumes", () -> volumes(console, ending, args));
    all.put("claims", () -> claims(console, ending, args));
    all.put("store", () -> store(console, args));
    all.put("dump", () -> new CommandLine(new DumpCommand(console)));
    all.put("completion", () -> new CommandLine(new CompletionCommand(console)));
    all.put("train", () -> hidden(new CommandLine(new TrainCommand())));
    CommandLine commands =
        with(new CommandLine(new Csi4jCommand()), all, args, 0)
            .setResourceBundle(
                ResourceBundle.getBundle(Program.class.getPackageName() + ".help", Locale.ROOT))
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

  /** Returns the width of the help text. The terminal is queried only if help is printed. */
  private static int helpWidth(Console console, String... args) {
    boolean isWanted = Stream.of(args).anyMatch(List.of("-h", "--help", "help")::contains);
    return isWanted
        ? Math.max(LEAST_HELP_WIDTH, Math.min(HELP_WIDTH, console.screen().width().getAsInt()))
        : HELP_WIDTH;
  }

  private static CommandLine plugin(Console console, ShutdownTrigger ending, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("probe", () -> new CommandLine(new ProbeCommand(console)));
    all.put("call", () -> new CommandLine(new CallCommand(console)));
    all.put("watch", () -> new CommandLine(new WatchCommand(console, ending)));
    all.put("check", () -> new CommandLine(new CheckCommand(console, ending)));
    all.put("serve", () -> new CommandLine(new ServeCommand(console, ending)));
    all.put("proxy", () -> new CommandLine(new ProxyCommand(console, ending)));
    all.put("replay", () -> new CommandLine(new ReplayCommand(console, ending)));
    all.put("report", () -> new CommandLine(new ReportCommand(console)));
    return with(new CommandLine(new GroupCommand()), all, args, 1);
  }

  private static CommandLine mounts(Console console, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("list", () -> new CommandLine(new MountListCommand(console)));
    all.put("why", () -> new CommandLine(new MountWhyCommand(console)));
    all.put("holders", () -> new CommandLine(new MountHoldersCommand(console)));
    return with(new CommandLine(new GroupCommand()), all, args, 1);
  }

  private static CommandLine state(Console console, ShutdownTrigger ending, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("show", () -> new CommandLine(new StateCommand(console, ending, Show.VOLUMES)));
    all.put("check", () -> new CommandLine(new StateCommand(console, ending, Show.TROUBLE)));
    all.put("explain", () -> new CommandLine(new StateCommand(console, ending, Show.REASONS)));
    return with(new CommandLine(new GroupCommand()), all, args, 1);
  }

  private static CommandLine described(Object command, String description, String example) {
    CommandLine made = new CommandLine(command);
    made.getCommandSpec().usageMessage().description(description).footer(example);
    return made;
  }

  private static CommandLine claims(Console console, ShutdownTrigger ending, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("list", () -> new CommandLine(new ClaimListCommand(console, ending)));
    all.put(
        "show",
        () ->
            described(
                new ClaimCommand(console, ending, ClaimWords::lines),
                "Shows the claims of a volume.",
                "  csi4j claims show db-1 --directory /var/lib/orchestrator/claims"));
    all.put(
        "explain",
        () ->
            described(
                new ClaimCommand(console, ending, ClaimWords::reasons),
                "Explains what each claim of a volume waits for.",
                "  csi4j claims explain db-1 --directory /var/lib/orchestrator/claims"));
    return with(new CommandLine(new GroupCommand()), all, args, 1);
  }

  private static CommandLine volumes(Console console, ShutdownTrigger ending, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("list", () -> new CommandLine(new VolumeListCommand(console, ending)));
    all.put(
        "show",
        () ->
            described(
                new VolumeCommand(console, ending, VolumeWords::lines),
                "Shows the record of a volume, without secrets, mount flags and the values of"
                    + " parameters and contexts.",
                "  csi4j volumes show db-1 --directory /var/lib/orchestrator/store"));
    all.put(
        "explain",
        () ->
            described(
                new VolumeCommand(console, ending, VolumeWords::reasons),
                "Explains what a volume waits for, which control plane works on it, and what comes"
                    + " next.",
                "  csi4j volumes explain db-1 --directory /var/lib/orchestrator/store"));
    return with(new CommandLine(new GroupCommand()), all, args, 1);
  }

  private static CommandLine store(Console console, String... args) {
    Map<String, Supplier<CommandLine>> all = new LinkedHashMap<>();
    all.put("identity", () -> new CommandLine(new StoreIdentityCommand(console)));
    all.put("move", () -> StoreMoveCommand.made(console));
    all.put("take-back", () -> new CommandLine(new StoreTakeBackCommand(console)));
    all.put("accept", () -> new CommandLine(new StoreAcceptCommand(console)));
    return with(new CommandLine(new GroupCommand()), all, args, 1);
  }

  /**
   * Adds subcommands to a command: the subcommand that the argument at {@code place} names, or else
   * all subcommands.
   */
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
