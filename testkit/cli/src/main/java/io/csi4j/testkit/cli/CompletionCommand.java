package io.csi4j.testkit.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints what lets a shell complete command lines. */
@Command(
    description =
        "Prints a script that lets bash or zsh complete the commands and options of csi4j, and the"
            + " values of options, such as shapes and cases; it is the same for both.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the script is printed", "2:the command line makes no sense"},
    footerHeading = "%nExample:%n",
    footer = {"  source <(csi4j completion bash)", "  source <(csi4j completion zsh)"})
final class CompletionCommand implements Callable<Integer> {

  /**
   * Bash makes three words of {@code --shape=full}, and the functions of picocli expect two. In zsh
   * the variable is not set.
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

  @Parameters(
      paramLabel = "SHELL",
      completionCandidates = OptionValues.Shells.class,
      description = "The shell: bash or zsh.")
  private @Nullable String shell;

  private final Console console;

  CompletionCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (!"bash".equals(shell) && !"zsh".equals(shell)) {
      throw CommandFailure.usage(
          "There is no completion for "
              + OneLine.quoted(String.valueOf(shell))
              + ". Write bash or zsh.");
    }
    console
        .out()
        .print(AutoComplete.bash("csi4j", Program.commands(console, () -> {})) + JOINED_VALUES);
    return ExitCode.OK;
  }
}
