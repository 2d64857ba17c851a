package io.csi4j.testkit.cli;

import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.StoreMove;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Moves all records between a directory and a store that several machines share. */
@Command(
    description = {
      "Moves all records, claims and catalog, from a directory into an empty store in etcd or"
          + " PostgreSQL, or back. End all control planes before.",
      "The directory is marked, so that no control plane opens it any more; its records stay in it."
          + " Where the command was ended, run it again: it goes on. At the end it compares both"
          + " stores."
    },
    exitCodeList = {
      "0:all records are in the target, and both stores were compared",
      "2:the command line makes no sense, or the target has other records; nothing was changed",
      "4:a store cannot be reached, read or written; run the command again"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j store move --from-directory /var/lib/orchestrator/store --etcd http://127.0.0.1:2379",
      "  csi4j store move --to-directory /var/lib/orchestrator/back --etcd http://127.0.0.1:2379"
    })
final class StoreMoveCommand extends ProgramCommand {

  @Option(
      names = "--from-directory",
      paramLabel = "DIR",
      description = "The directory of a LocalStore, to move its records into the other store.")
  private @Nullable Path from;

  @Option(
      names = "--to-directory",
      paramLabel = "DIR",
      description = "An empty or missing directory, to move the records of the other store into.")
  private @Nullable Path to;

  @Mixin private SharedStoreOptions shared = new SharedStoreOptions();

  @Option(names = "--json", description = "Print one object.")
  private boolean json;

  StoreMoveCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    if ((from == null) == (to == null) || !shared.isGiven()) {
      throw CommandFailure.usage(
          "Say from where to where: write --from-directory DIR or --to-directory DIR, and --etcd"
              + " URL or --jdbc URL.");
    }
    Optional<StoreMove.Result> run = from == null ? back(to) : there(from);
    if (run.isEmpty()) {
      console.print("The records were moved before, and their store was accepted. Nothing to do.");
      return ExitCode.OK;
    }
    StoreMove.Result moved = run.get();
    if (json) {
      console.print(
          new Json()
              .with("from", moved.from())
              .with("to", moved.to())
              .with("claims", moved.records().get(Space.CLAIMS))
              .with("volumes", moved.records().get(Space.VOLUMES))
              .with("cluster", moved.records().get(Space.CLUSTER))
              .with("written", moved.copied()));
    } else {
      lines(moved);
    }
    return ExitCode.OK;
  }

  private Optional<StoreMove.Result> there(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.usage(
          "There is no directory " + OneLine.quoted(directory.toString()) + ". Check the path.");
    }
    Optional<Sealer> sealer = shared.sealer();
    try (LocalStore source = CommandFailure.orUsage(() -> opened(directory, sealer));
        RecordStore target = shared.open()) {
      boolean isDone =
          source.movedTo().equals(Optional.of(target.identity())) && isOfCluster(target);
      return isDone ? Optional.empty() : Optional.of(moved(source, target));
    }
  }

  /** Moves the records. A cluster that has an identity works with the target from then on. */
  private static StoreMove.Result moved(RecordStore source, RecordStore target) {
    StoreMove.Result moved = CommandFailure.orUsage(() -> StoreMove.run(source, target));
    ClusterSetup cluster = new ClusterSetup(target);
    if (cluster.identity().isPresent()) {
      var unused = cluster.accept();
    }
    return moved;
  }

  /** Whether a cluster with an identity works with a store. */
  private static boolean isOfCluster(RecordStore store) {
    ClusterSetup cluster = new ClusterSetup(store);
    return cluster.identity().isPresent() && cluster.isAccepted();
  }

  static LocalStore opened(Path directory, Optional<Sealer> sealer) {
    Path path = directory.toAbsolutePath().normalize();
    // Fails where no store is: opening one would make it.
    LocalStore.look(path, sealer).close();
    return sealer
        .map(key -> LocalStore.openMoved(path, key))
        .orElseGet(() -> LocalStore.openMoved(path));
  }

  private Optional<StoreMove.Result> back(@Nullable Path directory) {
    Path path = Path.of(String.valueOf(directory)).toAbsolutePath().normalize();
    Optional<Sealer> sealer = shared.sealer();
    try (RecordStore source = shared.look();
        LocalStore target =
            CommandFailure.orUsage(
                () ->
                    sealer
                        .map(key -> LocalStore.open(path, key))
                        .orElseGet(() -> LocalStore.open(path)))) {
      return Optional.of(moved(source, target));
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
        "%s written now, %s before; both stores were compared and are equal."
            .formatted(moved.copied(), all - moved.copied()));
  }
}
