package io.csi4j.testkit.cli;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the processes and mounts that keep a mount in use. */
final class MountHoldersCommand extends ProgramCommand {

  @Parameters(paramLabel = "PATH")
  private @Nullable Path path;

  @Option(names = "--json")
  private boolean json;

  /** Maximum number of holders of each kind that are printed. */
  private static final int SHOWN = 10;

  private static final String ALL = "; --json shows all of them";

  MountHoldersCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    MountPath asked = MountWords.path(path == null ? Path.of("/") : path);
    MountTable table = MountTable.system();
    MountRecord mount =
        table
            .find(asked)
            .orElseThrow(
                () ->
                    CommandFailure.noConnection(
                        ("Nothing is mounted at %1$s. To see which mount contains it, run: csi4j"
                                + " mounts why %1$s")
                            .formatted(asked)));
    Holders holders = Mounts.system().whoHolds(mount.ref());
    print(mount, holders, new ManagedPaths(table, table.list()));
    boolean isFree = holders.found().isEmpty() && holders.unseen() == 0 && holders.complete();
    return isFree ? ExitCode.OK : ExitCode.FAILED;
  }

  private void print(MountRecord mount, Holders holders, ManagedPaths names) {
    if (json) {
      console.print(
          new Json()
              .with("mount", MountWords.json(mount))
              .with("holders", holders.found().stream().map(MountWords::json).toList())
              .with("unseen_processes", holders.unseen())
              .with("complete", holders.complete()));
      return;
    }
    lines(mount, holders, names, OwnProcess.isRoot()).forEach(console::print);
  }

  /**
   * Formats the holders by process. Similar processes form one group. Processes that keep the mount
   * busy come first. The number of lines is limited for each kind of holder separately, so that
   * many holders of one kind do not hide those of another.
   */
  static List<String> lines(
      MountRecord mount, Holders holders, ManagedPaths names, boolean isRoot) {
    List<String> lines = new ArrayList<>();
    lines.add(names.named(mount.path()) + " is " + MountWords.phrase(mount));
    List<HoldingProcess> processes = HoldingProcess.of(holders.found(), names, SHOWN);
    add(lines, processes, true);
    mounts(
        lines,
        "mount below it keeps it busy",
        "mounts below it keep it busy",
        found(holders, Holder.Child.class).map(child -> child.mount().path()).toList(),
        names);
    mounts(
        lines,
        "mount of the same filesystem keeps its device in use",
        "mounts of the same filesystem keep its device in use",
        found(holders, Holder.Sibling.class).map(sibling -> sibling.mount().path()).toList(),
        names);
    add(lines, processes, false);
    if (holders.found().isEmpty()) {
      lines.add("  no holder was found");
    }
    int unseen = holders.unseen();
    if (unseen > 0) {
      lines.add(
          "  %s could not be examined and may hold it: the kernel denies access to %s"
              .formatted(
                  StateWords.counted(unseen, "process", "processes"),
                  isRoot
                      ? "this process, although its user is root. Run it as root of the host,"
                          + " outside of any container."
                      : "this user. Run it as root."));
    }
    if (!holders.complete()) {
      lines.add("  the search is incomplete: it may have missed holders");
    }
    return lines;
  }

  private static <H extends Holder> Stream<H> found(Holders holders, Class<H> kind) {
    return holders.found().stream().filter(kind::isInstance).map(kind::cast);
  }

  private static void add(List<String> lines, List<HoldingProcess> processes, boolean busy) {
    List<List<HoldingProcess>> alike =
        List.copyOf(
            processes.stream()
                .filter(each -> each.isBusy() == busy)
                .collect(
                    Collectors.groupingBy(
                        HoldingProcess::doing, LinkedHashMap::new, Collectors.toList()))
                .values());
    for (List<HoldingProcess> each : alike.subList(0, Math.min(SHOWN, alike.size()))) {
      lines.add("  " + OneLine.of(HoldingProcess.named(each, SHOWN)));
      each.get(0).facts().forEach(fact -> lines.add("    " + OneLine.of(fact)));
    }
    if (alike.size() > SHOWN) {
      int others = alike.stream().skip(SHOWN).mapToInt(List::size).sum();
      lines.add("  " + StateWords.counted(others, "more process", "more processes") + ALL);
    }
  }

  private static void mounts(
      List<String> lines, String one, String many, List<MountPath> paths, ManagedPaths names) {
    if (!paths.isEmpty()) {
      lines.add(
          "  %s: %s%s"
              .formatted(
                  StateWords.counted(paths.size(), one, many),
                  OneLine.of(names.some(paths, SHOWN)),
                  paths.size() > SHOWN ? ALL : ""));
    }
  }
}
