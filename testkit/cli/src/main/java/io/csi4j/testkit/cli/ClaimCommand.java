package io.csi4j.testkit.cli;

import io.csi4j.volume.claim.Claim;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows or explains the claims of one volume. */
@Command(
    exitCodeList = {
      "0:the claims of the volume are printed, even if there are none",
      "1:some claims of the store cannot be read, or are uncertain",
      "2:the command line is invalid, or the volume was never claimed",
      "4:the claims cannot be read"
    })
final class ClaimCommand extends StoreCommand<Claim> {

  @Parameters(
      paramLabel = "VOLUME",
      description = "The volume as the host names it: db-1, or default/db-1.")
  private @Nullable String volume;

  private final Function<Claim, List<String>> lines;

  /**
   * Creates the command.
   *
   * @param lines returns the lines to print for a claim
   */
  ClaimCommand(Console console, ShutdownTrigger ending, Function<Claim, List<String>> lines) {
    super(console, ending);
    this.lines = lines;
  }

  @Override
  Sight<Claim> look() {
    StoreOptions.Read<List<Claim>> read = ClaimWords.read(source);
    Claim claim = ClaimWords.named(read, String.valueOf(volume));
    return new Sight<>(new TreeMap<>(Map.of(claim.volume().toString(), claim)), read.trouble());
  }

  @Override
  void print(Collection<Claim> shown) {
    for (Claim claim : shown) {
      if (json) {
        console.print(ClaimWords.json(claim));
      } else {
        lines.apply(claim).forEach(line -> console.print(OneLine.of(line)));
      }
    }
  }
}
