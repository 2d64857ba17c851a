package io.csi4j.testkit.cli;

import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Renders the reference of docs/cli.md from the help of the commands. Options and exit codes that
 * the commands of a group share are written once.
 */
final class HelpReference {

  private static final int WIDTH = 100;

  /** The widest first column: longer entries have their text on the next line. */
  private static final int COLUMN = 32;

  /** The options that name a store, or the two stores of a move. */
  private static final Pattern STORE =
      Pattern.compile("--(from-|to-)?(directory|etcd|jdbc|key-file)\\b.*");

  private static final Pattern EXAMPLE = Pattern.compile(" *(csi4j|source) ");

  private static final Set<String> STANDARD = Set.of("--help", "--version");

  /** The exit code of all commands that the page explains. */
  private static final String INVALID = "the command line is invalid";

  /** The groups whose commands share options, and how the names of their commands begin. */
  private static final Map<String, Pattern> GROUPS =
      Map.of(
          "csi4j state", Pattern.compile("csi4j state .*"),
          "csi4j volumes and csi4j claims", Pattern.compile("csi4j (volumes|claims) .*"));

  private final List<CommandSpec> commands;
  private final StringBuilder page = new StringBuilder();

  private HelpReference(List<CommandSpec> commands) {
    this.commands = commands;
  }

  /** Returns the reference of these commands. */
  static String of(List<CommandLine> commands) {
    HelpReference reference =
        new HelpReference(commands.stream().map(CommandLine::getCommandSpec).toList());
    reference.write();
    return reference.page.toString();
  }

  private void write() {
    Map<String, String> ofStores =
        entries(
            commands.stream()
                .filter(spec -> spec.qualifiedName().equals("csi4j claims list"))
                .findFirst()
                .orElseThrow(),
            HelpReference::isOfStore);
    section("Options of a store", table(ofStores, ""));
    Set<String> written = new HashSet<>();
    for (CommandSpec command : commands) {
      Map<String, String> entries = ownEntries(command);
      Map<String, String> codes = codes(command);
      for (Map.Entry<String, Pattern> group : GROUPS.entrySet()) {
        if (group.getValue().matcher(command.qualifiedName()).matches()) {
          Map<String, String> shared = shared(group.getValue(), HelpReference::ownEntries);
          Map<String, String> sharedCodes = shared(group.getValue(), HelpReference::codes);
          if (written.add(group.getKey())) {
            section(
                "All commands of " + group.getKey(),
                table(shared, "") + table(sharedCodes, "Exit codes:\n"));
          }
          entries.entrySet().removeAll(shared.entrySet());
          codes.entrySet().removeAll(sharedCodes.entrySet());
        }
      }
      section(
          command.qualifiedName(),
          lines(command.usageMessage().description())
              + table(entries, "")
              + table(codes, "Exit codes:\n")
              + notes(command));
    }
  }

  private void section(String title, String text) {
    page.append("### ").append(title).append("\n\n```text\n").append(text).append("```\n\n");
  }

  private Map<String, String> shared(
      Pattern group, Function<CommandSpec, Map<String, String>> part) {
    List<CommandSpec> members =
        commands.stream().filter(spec -> group.matcher(spec.qualifiedName()).matches()).toList();
    Map<String, String> shared = part.apply(members.get(0));
    members.forEach(spec -> shared.entrySet().retainAll(part.apply(spec).entrySet()));
    return shared;
  }

  private static Map<String, String> ownEntries(CommandSpec command) {
    boolean hasStore =
        command.options().stream().anyMatch(option -> option.longestName().endsWith("etcd"));
    return entries(command, arg -> !(hasStore && isOfStore(arg)));
  }

  /** The parameters and options of a command, with what each does. */
  private static Map<String, String> entries(CommandSpec command, Predicate<ArgSpec> which) {
    Map<String, String> entries = new LinkedHashMap<>();
    Stream.concat(command.positionalParameters().stream(), command.options().stream())
        .filter(arg -> !arg.hidden() && which.test(arg))
        .filter(
            arg -> !(arg instanceof OptionSpec option && STANDARD.contains(option.longestName())))
        .forEach(arg -> entries.put(label(arg), text(arg.description())));
    return entries;
  }

  private static boolean isOfStore(ArgSpec arg) {
    return arg instanceof OptionSpec option && STORE.matcher(option.longestName()).matches();
  }

  private static String label(ArgSpec arg) {
    if (!(arg instanceof OptionSpec option)) {
      return arg.arity().min() == 0 ? "[" + arg.paramLabel() + "]" : arg.paramLabel();
    }
    String name = option.longestName();
    if (option.arity().max() == 0) {
      return name;
    }
    return option.arity().min() == 0
        ? name + "[=" + option.paramLabel() + "]"
        : name + "=" + option.paramLabel();
  }

  private static Map<String, String> codes(CommandSpec command) {
    Map<String, String> codes = new LinkedHashMap<>(command.usageMessage().exitCodeList());
    codes.values().removeIf(INVALID::equals);
    return codes;
  }

  /** The lines after the exit codes, without examples: the page has its own. */
  private static String notes(CommandSpec command) {
    return Arrays.stream(command.usageMessage().footer())
        .map(String::format)
        .filter(line -> !line.isEmpty() && !EXAMPLE.matcher(line).lookingAt())
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  private static String lines(String[] paragraphs) {
    return Arrays.stream(paragraphs)
        .map(paragraph -> wrapped(new StringBuilder(), text(new String[] {paragraph}), 0))
        .collect(Collectors.joining());
  }

  private static String text(String[] lines) {
    return Arrays.stream(lines).map(String::format).collect(Collectors.joining(" ")).strip();
  }

  private static String table(Map<String, String> entries, String heading) {
    if (entries.isEmpty()) {
      return "";
    }
    int widest =
        entries.keySet().stream()
            .mapToInt(String::length)
            .filter(length -> length <= COLUMN)
            .max()
            .orElse(COLUMN);
    StringBuilder table = new StringBuilder(heading);
    entries.forEach(
        (label, text) -> {
          StringBuilder first = new StringBuilder("  ").append(label);
          if (label.length() > widest) {
            table.append(first).append('\n');
            first.setLength(0);
          }
          first.append(" ".repeat(widest + 4 - first.length()));
          table.append(wrapped(first, text, widest + 4));
        });
    return table.toString();
  }

  /** Adds the words of a text to a line, and to further lines that begin at a column. */
  private static String wrapped(StringBuilder line, String text, int column) {
    StringBuilder lines = new StringBuilder();
    boolean begins = true;
    for (String word : text.split(" ", -1)) {
      if (!begins && line.length() + 1 + word.length() > WIDTH) {
        lines.append(line).append('\n');
        line.setLength(0);
        line.append(" ".repeat(column));
        begins = true;
      }
      line.append(begins ? "" : " ").append(word);
      begins = false;
    }
    return lines.append(line).append('\n').toString();
  }
}
