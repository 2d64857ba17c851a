package io.csi4j.testkit.cli;

import io.csi4j.volume.catalog.view.VolumesView;
import java.util.Collection;
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
      "  csi4j volumes list --jdbc jdbc:postgresql://db.example/csi4j --jdbc-driver postgresql.jar"
    })
final class VolumeListCommand extends StoreCommand<VolumesView.Volume> {

  @Option(
      names = "--plugin",
      paramLabel = "ID",
      description = "List the volumes of this plugin only.")
  private String plugin = "";

  VolumeListCommand(Console console, ShutdownTrigger ending) {
    super(console, ending);
  }

  @Override
  Sight<VolumesView.Volume> look() {
    StoreOptions.Read<VolumesView> read = VolumeWords.read(source);
    SortedMap<String, VolumesView.Volume> shown = new TreeMap<>();
    read.records().volumes().stream()
        .filter(each -> plugin.isEmpty() || each.entry().spec().plugin().toString().equals(plugin))
        .forEach(each -> shown.put(each.entry().key().toString(), each));
    return new Sight<>(shown, read.trouble());
  }

  @Override
  void print(Collection<VolumesView.Volume> shown) {
    if (json) {
      shown.forEach(each -> console.print(VolumeWords.json(each)));
      return;
    }
    TextTable table = new TextTable("VOLUME", "PLUGIN", "ID", "STATE", "BYTES", "PENDING");
    for (VolumesView.Volume each : shown) {
      table.row(
          each.entry().key().toString(),
          each.entry().spec().plugin().toString(),
          each.entry().id().map(Object::toString).orElse("-"),
          VolumeWords.state(each.entry()),
          VolumeWords.bytes(each.entry()).map(Object::toString).orElse("-"),
          VolumeWords.pending(each));
    }
    table.withoutIfEmpty("PENDING").print(console);
  }
}
