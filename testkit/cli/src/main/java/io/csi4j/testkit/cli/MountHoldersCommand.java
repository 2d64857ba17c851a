package io.csi4j.testkit.cli;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells who keeps a mount in use. */
@Command(
    description =
        "Tells who keeps a mount in use, here and in other mount namespaces, so that it or its"
            + " device is busy. Run it as root: the files of other users' processes are not shown"
            + " to others.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no holder of the mount was found, and every process could be looked into",
      "1:there are holders, or some processes could not be looked into",
      "2:the command line makes no sense",
      "4:nothing is mounted there, or the mount table cannot be read"
    },
    footerHeading = "%nExample:%n",
    footer = "  csi4j mounts holders /mnt/data")
final class MountHoldersCommand implements Callable<Integer> {

  @Parameters(paramLabel = "PATH", description = "Where it is mounted.")
  private @Nullable Path path;

  @Option(names = "--json", description = "Print one object.")
  private boolean json;

  /** Number of holders of each kind that are printed. */
  private static final int SHOWN = 10;

  private static final String DEVICE = "keeps its device in use";

  private final Console console;

  MountHoldersCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    MountPath asked = MountWords.path(path == null ? Path.of("/") : path);
    try {
      MountRecord mount =
          MountTable.system()
              .find(asked)
              .orElseThrow(
                  () ->
                      CommandFailure.noConnection(
                          "Nothing is mounted at "
                              + asked
                              + ". See in which mount it is with: csi4j mounts why "
                              + asked));
      Holders holders = Mounts.system().whoHolds(mount.ref());
      print(mount, holders);
      boolean isFree = holders.found().isEmpty() && holders.unseen() == 0 && holders.complete();
      return isFree ? ExitCode.OK : ExitCode.FAILED;
    } catch (MountException e) {
      throw CommandFailure.noConnection(OneLine.of(String.valueOf(e.getMessage())));
    }
  }

  private void print(MountRecord mount, Holders holders) {
    if (json) {
      console
          .out()
          .println(
              new Json()
                  .with("mount", MountWords.json(mount))
                  .with("holders", holders.found().stream().map(MountWords::json).toList())
                  .with("unseen_processes", holders.unseen())
                  .with("complete", holders.complete()));
      return;
    }
    lines(mount, holders, isRoot()).forEach(console.out()::println);
  }

  /** The holders for a person: what keeps the mount busy comes first, and no kind hides another. */
  static List<String> lines(MountRecord mount, Holders holders, boolean isRoot) {
    List<String> lines = new ArrayList<>();
    lines.add(mount.path() + " is " + MountWords.phrase(mount));
    add(lines, holders, Holder.RunningProcess.class, "keeps it busy", "processes");
    add(lines, holders, Holder.Child.class, "keeps it busy", "mounts below it");
    add(lines, holders, Holder.Sibling.class, DEVICE, "mounts of the same filesystem");
    add(lines, holders, Holder.Elsewhere.class, DEVICE, "mounts in other mount namespaces");
    if (holders.found().isEmpty()) {
      lines.add("  no holder was found");
    }
    int unseen = holders.unseen();
    if (unseen > 0) {
      lines.add(
          "  "
              + StateWords.counted(unseen, "process", "processes")
              + " could not be looked into, and may hold it: the kernel refuses that to "
              + (isRoot
                  ? "this process, although its user is root. Run it as root of the host, outside"
                      + " of any container."
                  : "this user. Run it as root."));
    }
    if (!holders.complete()) {
      lines.add("  the search was cut short: there may be others");
    }
    return lines;
  }

  private static void add(
      List<String> lines, Holders holders, Class<? extends Holder> kind, String does, String many) {
    List<Holder> all = holders.found().stream().filter(kind::isInstance).toList();
    all.stream()
        .limit(SHOWN)
        .forEach(each -> lines.add("  " + does + ": " + OneLine.of(each.toString())));
    if (all.size() > SHOWN) {
      lines.add(
          "  "
              + does
              + ": "
              + (all.size() - SHOWN)
              + " more "
              + many
              + "; --json shows all of them");
    }
  }

  /** Whether this process acts as root. */
  static boolean isRoot() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("Uid:"))
          .anyMatch(line -> line.split("\\s+", -1)[2].equals("0"));
    } catch (IOException e) {
      return false;
    }
  }
}
