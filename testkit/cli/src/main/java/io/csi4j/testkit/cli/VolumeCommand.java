package io.csi4j.testkit.cli;

import io.csi4j.volume.catalog.view.VolumesView;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows or explains one volume in a catalog. */
@Command(
    exitCodeList = {
      "0:the volume is recorded",
      "1:some records of the store cannot be read, or are uncertain",
      "2:the command line is invalid, or the volume is not recorded",
      "4:the store cannot be read"
    })
final class VolumeCommand extends StoreCommand<VolumesView.Volume> {

  @Parameters(
      paramLabel = "VOLUME",
      description = "The volume as the host names it: db-1, or default/db-1.")
  private @Nullable String volume;

  private final Function<VolumesView.Volume, List<String>> lines;

  /**
   * Creates the command.
   *
   * @param lines returns the lines to print for a volume
   */
  VolumeCommand(
      Console console, ShutdownTrigger ending, Function<VolumesView.Volume, List<String>> lines) {
    super(console, ending);
    this.lines = lines;
  }

  @Override
  Sight<VolumesView.Volume> look() {
    StoreOptions.Read<VolumesView> read = VolumeWords.read(source);
    VolumesView.Volume found = VolumeWords.named(read, String.valueOf(volume));
    return new Sight<>(
        new TreeMap<>(Map.of(found.entry().key().toString(), found)), read.trouble());
  }

  @Override
  void print(Collection<VolumesView.Volume> shown) {
    for (VolumesView.Volume each : shown) {
      if (json) {
        console.print(VolumeWords.json(each));
      } else {
        lines.apply(each).forEach(line -> console.print(OneLine.of(line)));
      }
    }
  }
}
