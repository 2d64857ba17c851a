package io.csi4j.testkit.cli;

import io.csi4j.volume.claim.Claim;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the claims in a store. */
@Command(
    description = "Lists the claimed volumes, with the workloads and the state of each claim.",
    exitCodeList = {
      "0:the claims are listed, even if there is none",
      "1:some claims cannot be read, or are uncertain; the others are listed",
      "2:the command line is invalid",
      "4:the claims cannot be read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j claims list --directory /var/lib/orchestrator/claims",
      "  csi4j claims list --etcd http://127.0.0.1:2379 --json"
    })
final class ClaimListCommand extends StoreCommand<Claim> {

  @Option(names = "--all", description = "Also list volumes that were claimed earlier.")
  private boolean all;

  ClaimListCommand(Console console, ShutdownTrigger ending) {
    super(console, ending);
  }

  @Override
  Sight<Claim> look() {
    StoreOptions.Read<List<Claim>> read = ClaimWords.read(source);
    SortedMap<String, Claim> shown = new TreeMap<>();
    read.records().stream()
        .filter(claim -> all || !claim.holders().isEmpty())
        .forEach(claim -> shown.put(claim.volume().toString(), claim));
    return new Sight<>(shown, read.trouble());
  }

  @Override
  void print(Collection<Claim> shown) {
    if (json) {
      shown.forEach(claim -> console.print(ClaimWords.json(claim)));
    } else {
      table(shown).print(console);
    }
  }

  private static TextTable table(Collection<Claim> claims) {
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
