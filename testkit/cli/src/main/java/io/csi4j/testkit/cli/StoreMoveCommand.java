package io.csi4j.testkit.cli;

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
    StoreMove.Result moved = from == null ? back(to) : there(from);
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

  private StoreMove.Result there(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.usage(
          "There is no directory " + OneLine.quoted(directory.toString()) + ". Check the path.");
    }
    Optional<Sealer> sealer = shared.sealer();
    try (LocalStore source = CommandFailure.orUsage(() -> opened(directory, sealer));
        RecordStore target = shared.open()) {
      return CommandFailure.orUsage(() -> StoreMove.run(source, target));
    }
  }

  static LocalStore opened(Path directory, Optional<Sealer> sealer) {
    Path path = directory.toAbsolutePath().normalize();
    return sealer
        .map(key -> LocalStore.openMoved(path, key))
        .orElseGet(() -> LocalStore.openMoved(path));
  }

  private StoreMove.Result back(@Nullable Path directory) {
    Path path = Path.of(String.valueOf(directory)).toAbsolutePath().normalize();
    Optional<Sealer> sealer = shared.sealer();
    try (RecordStore source = shared.look();
        LocalStore target =
            CommandFailure.orUsage(
                () ->
                    sealer
                        .map(key -> LocalStore.open(path, key))
                        .orElseGet(() -> LocalStore.open(path)))) {
      return CommandFailure.orUsage(() -> StoreMove.run(source, target));
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
