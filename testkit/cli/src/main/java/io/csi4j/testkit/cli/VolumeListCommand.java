package io.csi4j.testkit.cli;

import io.csi4j.volume.catalog.view.VolumesView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the volumes of a catalog. */
@Command(
    description = "Lists the volumes on record, and how far each is.",
    exitCodeList = {
      "0:the volumes are listed, even if there is none",
      "1:some volumes cannot be read, or are in doubt; the others are listed",
      "2:the command line makes no sense",
      "4:the store cannot be read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j volumes list --directory /var/lib/orchestrator/store",
      "  csi4j volumes list --directory /var/lib/orchestrator/store --unused-for 90d",
      "  csi4j volumes list --jdbc jdbc:postgresql://db.example/csi4j --jdbc-driver postgresql.jar"
    })
final class VolumeListCommand extends StoreCommand<VolumesView.Volume> {

  @Option(
      names = "--plugin",
      paramLabel = "ID",
      description = "List the volumes of this plugin only.")
  private String plugin = "";

  @Option(
      names = "--unused-for",
      paramLabel = "TIME",
      description =
          "List the volumes that no workload has claimed for this long, such as 90d. The store has"
              + " to have the claims, too.")
  private Optional<Duration> unusedFor = Optional.empty();

  VolumeListCommand(Console console, ShutdownTrigger ending) {
    super(console, ending);
  }

  @Override
  Sight<VolumesView.Volume> look() {
    StoreOptions.Read<VolumesView> read = VolumeWords.read(source);
    if (unusedFor.isPresent() && !read.records().hasClaims()) {
      throw CommandFailure.usage(
          "The store has no claims, which show since when volumes are unused.");
    }
    Instant now = Instant.now();
    SortedMap<String, VolumesView.Volume> shown = new TreeMap<>();
    read.records().volumes().stream()
        .filter(each -> plugin.isEmpty() || each.entry().spec().plugin().toString().equals(plugin))
        .filter(each -> unusedFor.filter(age -> !isUnused(each, now.minus(age))).isEmpty())
        .forEach(each -> shown.put(each.entry().key().toString(), each));
    return new Sight<>(shown, read.trouble());
  }

  private static boolean isUnused(VolumesView.Volume volume, Instant since) {
    return volume.unusedSince().filter(it -> !it.isAfter(since)).isPresent();
  }

  @Override
  void print(Collection<VolumesView.Volume> shown) {
    if (json) {
      shown.forEach(each -> console.print(VolumeWords.json(each)));
      return;
    }
    TextTable table =
        new TextTable("VOLUME", "PLUGIN", "ID", "STATE", "BYTES", "UNUSED SINCE", "PENDING");
    for (VolumesView.Volume each : shown) {
      table.row(
          each.entry().key().toString(),
          each.entry().spec().plugin().toString(),
          each.entry().id().map(Object::toString).orElse("-"),
          VolumeWords.state(each.entry()),
          VolumeWords.bytes(each.entry()).map(Object::toString).orElse("-"),
          VolumeWords.unusedSince(each).orElse(""),
          VolumeWords.pending(each));
    }
    table.withoutIfEmpty("UNUSED SINCE").withoutIfEmpty("PENDING").print(console);
  }
}
