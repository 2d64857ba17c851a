package io.csi4j.testkit.cli;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import java.nio.file.Path;
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
    console.out().println(mount.path() + " is " + MountWords.phrase(mount));
    List<?> ofMount = holders.ofMount();
    holders
        .found()
        .forEach(
            each ->
                console
                    .out()
                    .println(
                        (ofMount.contains(each)
                                ? "  keeps it busy: "
                                : "  keeps its device in use: ")
                            + OneLine.of(each.toString())));
    if (holders.found().isEmpty()) {
      console.out().println("  no holder was found");
    }
    if (holders.unseen() > 0) {
      console
          .out()
          .println(
              "  "
                  + holders.unseen()
                  + (holders.unseen() == 1 ? " process" : " processes")
                  + " could not be looked into. Ask again as root.");
    }
    if (!holders.complete()) {
      console.out().println("  the search was cut short: there may be others");
    }
  }
}
