package io.csi4j.testkit.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints what lets a shell complete command lines. */
@Command(
    description =
        "Prints a script that lets bash or zsh complete the commands and options of csi4j; it is the"
            + " same for both.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the script is printed", "2:the command line makes no sense"},
    footerHeading = "%nExample:%n",
    footer = {"  source <(csi4j completion bash)", "  source <(csi4j completion zsh)"})
final class CompletionCommand implements Callable<Integer> {

  @Parameters(paramLabel = "SHELL", description = "The shell: bash or zsh.")
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
    console.out().print(AutoComplete.bash("csi4j", Program.commands(console, () -> {})));
    return ExitCode.OK;
  }
}
