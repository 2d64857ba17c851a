package io.csi4j.testkit.cli;

import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary.State;
import io.csi4j.volume.catalog.view.VolumesView;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the volumes in a catalog. */
@Command(
    description = "Lists the recorded volumes with their states.",
    exitCodeList = {
      "0:the volumes are listed, even if there is none",
      "1:some volumes cannot be read, or are uncertain; the others are listed",
      "2:the command line is invalid",
      "4:the store cannot be read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j volumes list --directory /var/lib/orchestrator/store",
      "  csi4j volumes list --directory /var/lib/orchestrator/store --unused-for 90d",
      "  csi4j volumes list --etcd http://127.0.0.1:2379 --state creating --state deleting",
      "  csi4j volumes list --jdbc jdbc:postgresql://db.example/csi4j --jdbc-driver postgresql.jar"
    })
final class VolumeListCommand extends StoreCommand<VolumesView.Volume> {

  @Option(names = "--plugin", paramLabel = "ID", description = "Only volumes of this plugin.")
  private Optional<String> plugin = Optional.empty();

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      description = "Only volumes of this namespace.")
  private Optional<String> namespace = Optional.empty();

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "Only volumes whose names, without the namespace, begin with this.")
  private String prefix = "";

  @Option(
      names = "--state",
      paramLabel = "STATE",
      completionCandidates = OptionValues.VolumeStates.class,
      description = "Only volumes in this state: ${COMPLETION-CANDIDATES}. Repeatable.")
  private List<String> states = List.of();

  @Option(
      names = "--unused-for",
      paramLabel = "TIME",
      description =
          "Only volumes that no workload claimed for this long, such as 90d. The store must have"
              + " the claims, too.")
  private Optional<Duration> unusedFor = Optional.empty();

  VolumeListCommand(Console console, ShutdownTrigger ending) {
    super(console, ending);
  }

  @Override
  Sight<VolumesView.Volume> look() {
    StoreOptions.Read<VolumesView> read = VolumeWords.read(source);
    if (unusedFor.isPresent() && !read.records().hasClaims()) {
      throw CommandFailure.usage(
          "The store has no claims, so it does not show since when volumes are unused.");
    }
    VolumeFilter filter = CommandFailure.orUsage(this::filter);
    Instant now = Instant.now();
    SortedMap<String, VolumesView.Volume> shown = new TreeMap<>();
    read.records().volumes().stream()
        .filter(each -> filter.matches(each.entry()))
        .filter(each -> unusedFor.filter(age -> !isUnused(each, now.minus(age))).isEmpty())
        .forEach(each -> shown.put(each.entry().key().toString(), each));
    return new Sight<>(shown, read.trouble());
  }

  private VolumeFilter filter() {
    VolumeFilter filter = VolumeFilter.all().withPrefix(prefix);
    filter = plugin.map(PluginId::of).map(filter::ofPlugin).orElse(filter);
    filter = namespace.map(Namespace::of).map(filter::inNamespace).orElse(filter);
    return states.isEmpty()
        ? filter
        : filter.inState(
            state(states.get(0)),
            states.stream().skip(1).map(VolumeListCommand::state).toArray(State[]::new));
  }

  private static State state(String text) {
    return Stream.of(State.values())
        .filter(each -> OptionText.written(each).equals(text.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                CommandFailure.usage(
                    "There is no state %s. Write %s."
                        .formatted(
                            OneLine.quoted(text),
                            OptionText.oneOf(Stream.of(State.values()).map(OptionText::written)))));
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
