package io.csi4j.testkit.cli;

import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** Prints a script with which a shell can complete command lines. */
final class CompletionCommand extends ProgramCommand {

  /**
   * Shell function that joins words for picocli. Bash splits {@code --shape=full} into three words,
   * but picocli's functions expect two. In zsh, {@code COMP_WORDS} is not set.
   */
  private static final String JOINED_VALUES =
      """

      function _csi4j() {
        local words=() at=$COMP_CWORD i
        for i in "${!COMP_WORDS[@]}"; do
          if [ "${COMP_WORDS[i]}" != "=" ]; then
            words+=("${COMP_WORDS[i]}")
          elif ((i == COMP_CWORD)); then
            words+=("")
          elif ((i < COMP_CWORD)); then
            at=$((at - 1))
          fi
        done
        local COMP_WORDS=("${words[@]}") COMP_CWORD=$at
        _complete_csi4j
      }
      if [ -n "$BASH_VERSION" ]; then
        complete -F _csi4j -o default csi4j
      fi
      """;

  @Parameters(paramLabel = "SHELL", completionCandidates = OptionValues.Shells.class)
  private @Nullable String shell;

  CompletionCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    CommandLine program = Program.commands(console, () -> {});
    String script =
        switch (String.valueOf(shell)) {
          case "bash", "zsh" -> AutoComplete.bash("csi4j", program) + JOINED_VALUES;
          case "fish" -> FishCompletion.of(program);
          default ->
              throw CommandFailure.usage(
                  "There is no completion for "
                      + OneLine.quoted(String.valueOf(shell))
                      + ". Write bash, zsh or fish.");
        };
    console.out().print(script);
    return ExitCode.OK;
  }
}
