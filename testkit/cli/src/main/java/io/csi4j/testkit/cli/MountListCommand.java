package io.csi4j.testkit.cli;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists mounts. */
@Command(
    description =
        "Lists the mounts that this process sees, or another one. Options of filesystems are left"
            + " out, as they may hold passwords.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the mounts are listed, even if there is none",
      "2:the command line makes no sense",
      "4:the mount table cannot be read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j mounts list /var/lib/orchestrator",
      "  csi4j mounts list --type nfs4 --json"
    })
final class MountListCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "List those at and below this directory. Default: all.")
  private @Nullable Path below;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "List those of this type of filesystem, such as nfs4. Repeatable.")
  private List<String> types = List.of();

  @Option(
      names = "--process",
      paramLabel = "PID",
      description = "List what this process sees, with its paths.")
  private @Nullable Long process;

  @Option(names = "--json", description = "Print an object on a line for each mount.")
  private boolean json;

  private final Console console;

  MountListCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    MountPath directory = below == null ? MountPath.ROOT : MountWords.path(below);
    List<MountRecord> found =
        seen().records().stream()
            .filter(each -> each.path().isWithin(directory))
            .filter(
                each -> types.isEmpty() || types.stream().anyMatch(type -> each.type().is(type)))
            .toList();
    if (json) {
      found.forEach(each -> console.out().println(MountWords.json(each)));
      return ExitCode.OK;
    }
    table(found).lines().forEach(console.out()::println);
    return ExitCode.OK;
  }

  static TextTable table(List<MountRecord> mounts) {
    TextTable table = new TextTable("PATH", "TYPE", "SOURCE", "ROOT", "FLAGS", "PROPAGATION");
    for (MountRecord each : mounts) {
      table.row(
          each.path().toString(),
          each.type().toString(),
          MountWords.source(each),
          each.root().toString(),
          MountWords.flags(each),
          each.propagation().toString());
    }
    return table;
  }

  private MountSnapshot seen() {
    try {
      MountTable table = MountTable.system();
      return process == null ? table.list() : table.listOf(process);
    } catch (MountException e) {
      throw CommandFailure.noConnection(OneLine.of(String.valueOf(e.getMessage())));
    }
  }
}
