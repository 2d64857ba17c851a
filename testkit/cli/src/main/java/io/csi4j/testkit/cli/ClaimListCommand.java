package io.csi4j.testkit.cli;

import io.csi4j.volume.claim.Claim;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the claims of a store. */
@Command(
    description = "Lists the volumes that are claimed, by whom, and how far each claim is.",
    exitCodeList = {
      "0:the claims are listed, even if there is none",
      "1:some claims cannot be read, or are in doubt; the others are listed",
      "2:the command line makes no sense",
      "4:the claims cannot be read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j claims list --directory /var/lib/orchestrator/claims",
      "  csi4j claims list --etcd http://127.0.0.1:2379 --json"
    })
final class ClaimListCommand extends ProgramCommand {

  @Mixin private ClaimSource source = new ClaimSource();

  @Option(names = "--all", description = "List volumes that were claimed once, too.")
  private boolean all;

  @Option(names = "--json", description = "Print an object on a line for each volume.")
  private boolean json;

  ClaimListCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    ClaimSource.Read read = source.read();
    List<Claim> shown =
        read.claims().stream().filter(claim -> all || !claim.holders().isEmpty()).toList();
    if (json) {
      shown.forEach(claim -> console.print(ClaimWords.json(claim)));
    } else {
      table(shown).print(console);
    }
    read.trouble().forEach(console::note);
    return read.trouble().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static TextTable table(List<Claim> claims) {
    TextTable table = new TextTable("VOLUME", "MODE", "WORKLOADS", "NODES", "STATE", "EPOCH");
    for (Claim claim : claims) {
      table.row(
          claim.volume().toString(),
          claim.use().map(Object::toString).orElse("-"),
          claim.holders().keySet().stream().map(Object::toString).collect(Collectors.joining(",")),
          claim.holders().values().stream()
              .map(holder -> holder.node().toString())
              .distinct()
              .collect(Collectors.joining(",")),
          ClaimWords.states(claim),
          Long.toString(claim.epoch()));
    }
    return table;
  }
}
