package io.csi4j.testkit.cli;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.volume.manager.ManagerView;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists mounts. */
final class MountListCommand extends ProgramCommand {

  @Parameters(arity = "0..1", paramLabel = "DIR")
  private @Nullable Path below;

  @Option(names = "--type", paramLabel = "TYPE")
  private List<String> types = List.of();

  @Option(names = "--process", paramLabel = "PID")
  private @Nullable Long process;

  @Option(names = "--json")
  private boolean json;

  MountListCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    MountPath directory = below == null ? MountPath.ROOT : MountWords.path(below);
    MountTable table = MountTable.system();
    MountSnapshot seen = process == null ? table.list() : table.listOf(process);
    List<MountRecord> found =
        seen.records().stream()
            .filter(each -> each.path().isWithin(directory))
            .filter(
                each -> types.isEmpty() || types.stream().anyMatch(type -> each.type().is(type)))
            .toList();
    ManagedPaths names = new ManagedPaths(table, seen);
    // Paths of another process are not looked up, because they may belong to another directory
    // tree.
    Function<MountRecord, Optional<ManagerView.VolumePath>> volumes =
        mount -> process == null ? names.at(mount.path()) : Optional.empty();
    if (json) {
      found.forEach(
          each ->
              console.print(
                  MountWords.json(each).with("volume", volumes.apply(each).map(StateWords::json))));
    } else {
      table(found, volumes).print(console);
    }
    return ExitCode.OK;
  }

  /**
   * Returns a table of the mounts. Each path of a volume manager has its volume and workload next
   * to it.
   */
  static TextTable table(
      List<MountRecord> mounts, Function<MountRecord, Optional<ManagerView.VolumePath>> volumes) {
    TextTable table =
        new TextTable("PATH", "VOLUME", "TYPE", "SOURCE", "ROOT", "FLAGS", "PROPAGATION");
    for (MountRecord each : mounts) {
      table.row(
          each.path().toString(),
          volumes.apply(each).map(MountListCommand::volume).orElse(""),
          each.type().toString(),
          each.source().withoutCredentials(),
          each.root().toString(),
          MountWords.flags(each),
          each.propagation().toString());
    }
    return table.withoutIfEmpty("VOLUME");
  }

  private static String volume(ManagerView.VolumePath path) {
    return path.volume().handle()
        + path.use()
            .map(use -> " for " + use.workload() + " (" + use.volume() + ")")
            .orElse(", staging");
  }
}
