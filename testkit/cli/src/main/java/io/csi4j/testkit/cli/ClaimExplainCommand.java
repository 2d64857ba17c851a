package io.csi4j.testkit.cli;

import io.csi4j.volume.claim.Claim;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Explains the claims of one volume. */
@Command(
    description = "Explains what each claim of a volume waits for, and what would let it go on.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the claims of the volume are told, even if it is not claimed",
      "1:some claims of the store cannot be read, or are in doubt",
      "2:the command line makes no sense, or nothing was ever claimed of the volume",
      "4:the claims cannot be read"
    },
    footerHeading = "%nExample:%n",
    footer = "  csi4j claims explain db-1 --directory /var/lib/orchestrator/claims")
final class ClaimExplainCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "VOLUME",
      description = "The volume as the host names it: db-1, or default/db-1.")
  private @Nullable String volume;

  @Mixin private ClaimSource source = new ClaimSource();

  @Option(names = "--json", description = "Print one object.")
  private boolean json;

  private final Console console;

  ClaimExplainCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    ClaimSource.Read read = source.read();
    Claim claim = ClaimWords.named(read, String.valueOf(volume));
    if (json) {
      console.out().println(ClaimWords.json(claim));
    } else {
      ClaimWords.reasons(claim).forEach(console.out()::println);
    }
    read.trouble().forEach(console.err()::println);
    return read.trouble().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }
}
