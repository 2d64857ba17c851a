package io.csi4j.testkit.cli;

import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.StoreMove;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves all records of a store to another store. */
@Command(
    description = {
      "Moves all records, claims and catalog, to an empty store: from a directory into etcd or"
          + " PostgreSQL, between these, or back. First end all processes that use one of the"
          + " stores.",
      "No control plane can use the target before the move is complete, or the source once"
          + " the move has begun. The source keeps its records. Repeat the command if it was interrupted."
    },
    exitCodeList = {
      "0:all records are in the target; the stores were compared, now or in an earlier run",
      "1:as 0, but the identity of the cluster cannot be read",
      "2:the command line is invalid, the target has other records, or the cluster works with"
          + " another store than the source; nothing was changed",
      "4:a store cannot be reached, read or written; run the command again"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j store move --from-directory /var/lib/csi4j/store --to-etcd http://127.0.0.1:2379",
      "  csi4j store move --from-etcd http://127.0.0.1:2379 --to-jdbc jdbc:postgresql://db/csi4j"
    })
final class StoreMoveCommand extends ProgramCommand {

  private final StoreOptions from = new StoreOptions();
  private final StoreOptions to = new StoreOptions();

  @Option(names = "--json", description = "Print one object.")
  private boolean json;

  private StoreMoveCommand(Console console) {
    super(console);
  }

  /** Returns the command, with the options of both stores. */
  static CommandLine made(Console console) {
    StoreMoveCommand move = new StoreMoveCommand(console);
    CommandLine made = new CommandLine(move);
    move.from.addTo(made.getCommandSpec(), "from");
    move.to.addTo(made.getCommandSpec(), "to");
    return made;
  }

  @Override
  public Integer call() {
    try (RecordStore look = from.look()) {
      checkCluster(look);
      checkDirectory(look);
      try (RecordStore target = to.openOrMake()) {
        // Opening a directory with a key seals its records, so the checks come before the source is
        // opened for writing.
        CommandFailure.check(() -> StoreMove.check(look, target));
        try (RecordStore source = from.open()) {
          print(CommandFailure.orUsage(() -> StoreMove.run(source, target)));
        }
        return accept(target);
      }
    }
  }

  /**
   * Refuses to copy the records of a cluster that uses another store, because nothing in the target
   * would show that they are a copy. An unreadable identity is copied, because a target with such
   * an identity is not accepted either.
   */
  private static void checkCluster(RecordStore source) {
    try {
      if (!new ClusterSetup(source).isAccepted()) {
        throw CommandFailure.usage(
            OneLine.of(
                "Moving the records failed: the cluster works with another store, and store '%s'"
                        .formatted(source.identity())
                    + " has a copy of its records. Move the records of the other store; or, if no"
                    + " control plane uses it, accept this one with 'csi4j store accept'."));
      }
    } catch (ControllerException failed) {
      checkIsUnreadable(failed);
    }
  }

  /**
   * Checks a target directory that is not empty, opened only for reading, because opening it for
   * writing could seal its records.
   */
  private void checkDirectory(RecordStore source) {
    if (to.isInUsedDirectory()) {
      try (RecordStore there = to.look()) {
        CommandFailure.check(() -> StoreMove.check(source, there));
      }
    }
  }

  /** Makes the cluster use the target from now on, if the cluster has an identity. */
  private int accept(RecordStore target) {
    try {
      ClusterSetup cluster = new ClusterSetup(target);
      if (cluster.identity().isPresent() && !cluster.isAccepted()) {
        var unused = cluster.accept();
      }
      return ExitCode.OK;
    } catch (ControllerException failed) {
      checkIsUnreadable(failed);
      console.note(OneLine.of(String.valueOf(failed.getMessage())));
      return ExitCode.FAILED;
    }
  }

  private static void checkIsUnreadable(ControllerException failed) {
    if (failed.code() != OperatorCode.CATALOG_UNREADABLE) {
      throw failed;
    }
  }

  private void print(StoreMove.Result moved) {
    if (json) {
      console.print(
          new Json()
              .with("from", moved.from())
              .with("to", moved.to())
              .with("claims", moved.records().get(Space.CLAIMS))
              .with("volumes", moved.records().get(Space.VOLUMES))
              .with("cluster", moved.records().get(Space.CLUSTER))
              .with("written", moved.copied())
              .with("complete_before", moved.wasComplete()));
    } else {
      lines(moved);
    }
  }

  private void lines(StoreMove.Result moved) {
    Map<Space, Integer> records = moved.records();
    int all = records.values().stream().mapToInt(each -> each).sum();
    console.print(
        "Moved %s from store '%s' to store '%s': %s, %s, %s of the cluster."
            .formatted(
                StateWords.counted(all, "record"),
                OneLine.of(moved.from().value()),
                OneLine.of(moved.to().value()),
                StateWords.counted(records.getOrDefault(Space.VOLUMES, 0), "volume"),
                StateWords.counted(
                    records.getOrDefault(Space.CLAIMS, 0), "record of claims", "records of claims"),
                records.getOrDefault(Space.CLUSTER, 0)));
    console.print(
        moved.wasComplete()
            ? "An earlier run has completed the move; nothing was written now."
            : "%s written now, %s before; both stores were compared and are equal."
                .formatted(moved.copied(), all - moved.copied()));
  }
}
