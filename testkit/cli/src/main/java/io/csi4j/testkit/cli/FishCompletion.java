package io.csi4j.testkit.cli;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The script with which the shell fish completes command lines and describes commands and options.
 */
final class FishCompletion {

  /**
   * Two fish functions. The first checks whether the words before the cursor are the name of a
   * command. The second checks whether they begin with that name.
   */
  private static final String FUNCTIONS =
      """
      function __csi4j_at
        set -l words (commandline -opc)[2..-1]
        test "$words" = "$argv"
      end
      function __csi4j_in
        set -l words (commandline -opc)[2..-1]
        string match -q -- "$argv *" "$words "
      end
      complete -c csi4j -e
      complete -c csi4j -f
      """;

  private final StringBuilder script = new StringBuilder(FUNCTIONS);

  private FishCompletion() {}

  /** Returns the completion script for a program with these commands. */
  static String of(CommandLine program) {
    FishCompletion completion = new FishCompletion();
    completion.add(program, "");
    return completion.script.toString();
  }

  private void add(CommandLine command, String name) {
    CommandSpec spec = command.getCommandSpec();
    String where = (spec.subcommands().isEmpty() ? "__csi4j_in" : "__csi4j_at") + name;
    for (OptionSpec option : spec.options()) {
      StringBuilder spellings = new StringBuilder();
      for (String each : option.names()) {
        spellings
            .append(each.startsWith("--") ? " -l " : " -s ")
            .append(each.replaceAll("^-+", ""));
      }
      line(
          where,
          spellings + (option.arity().max() > 0 ? " -r" : "") + values(option),
          option.description());
    }
    spec.positionalParameters().forEach(each -> line(where, values(each)));
    spec.subcommands()
        .forEach(
            (below, its) -> {
              if (!its.getCommandSpec().usageMessage().hidden()) {
                line(where, " -a " + below, its.getCommandSpec().usageMessage().description());
                add(its, name + " " + below);
              }
            });
  }

  /**
   * Returns the part of a completion that proposes values: the listed values, file names, or none.
   */
  private static String values(ArgSpec taker) {
    if (taker.completionCandidates() != null) {
      return " -f -a " + quoted(String.join(" ", taker.completionCandidates()));
    }
    return List.of(taker.auxiliaryTypes()).contains(Path.class) ? " -F" : " -f";
  }

  private void line(String where, String completion, String... description) {
    script.append("complete -c csi4j -n '").append(where).append('\'').append(completion);
    if (description.length > 0) {
      script.append(" -d ").append(quoted(description[0].replaceFirst("\\.( .*)?$", "")));
    }
    script.append('\n');
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
