package io.csi4j.testkit.cli;

import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that name a store, which is read without writing anything. */
final class StoreOptions {

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "The store on this disk, in the directory of a LocalStore.")
  private @Nullable Path directory;

  @Mixin private SharedStoreOptions shared = new SharedStoreOptions();

  /**
   * What was read.
   *
   * @param records what it shows of each record
   * @param trouble what a person has to look after
   */
  record Read<T>(T records, List<String> trouble) {

    Read {
      trouble = trouble.stream().map(OneLine::of).toList();
    }
  }

  /** Reads a store. */
  <T> Read<T> read(Function<RecordStore, T> reading, Function<T, List<String>> unreadable) {
    try (RecordStore store = look()) {
      T records = reading.apply(store);
      List<String> trouble = new ArrayList<>(unreadable.apply(records));
      store
          .readOnly()
          .filter(why -> !isEmpty(store))
          .ifPresent(why -> trouble.add("The store accepts no writes: " + why.text() + "."));
      cluster(store).ifPresent(trouble::add);
      here()
          .forEach(
              path ->
                  JournalView.read(path).state().uncertainties().stream()
                      .filter(doubt -> doubt.reason() != StateException.Reason.JOURNAL_TAIL_DROPPED)
                      .forEach(doubt -> trouble.add(doubt.reason() + ": " + doubt.text())));
      return new Read<>(records, trouble);
    }
  }

  /** Returns what a person has to do about the cluster that works with a store. */
  private static Optional<String> cluster(RecordStore store) {
    try {
      return new ClusterSetup(store).isAccepted()
          ? Optional.empty()
          : Optional.of(
              "The cluster worked with another store before its records were restored or moved into"
                  + " this one. Accept this one with 'csi4j store accept'.");
    } catch (ControllerException failed) {
      if (failed.code() != OperatorCode.CATALOG_UNREADABLE) {
        throw failed;
      }
      return Optional.of(String.valueOf(failed.getMessage()));
    }
  }

  /** A new store has no mark, and nothing that could be missing. */
  private static boolean isEmpty(RecordStore store) {
    return Stream.of(RecordKey.Space.values())
        .allMatch(space -> store.scan(space, Optional.empty(), 1).records().isEmpty());
  }

  private List<Path> here() {
    return directory == null ? List.of() : List.of(directory.toAbsolutePath().normalize());
  }

  private RecordStore look() {
    List<Path> here = one();
    return here.isEmpty()
        ? shared.look()
        : CommandFailure.orUsage(() -> LocalStore.look(here.get(0), shared.sealer()));
  }

  /** Returns the directory that was named; none if another store was. */
  List<Path> one() {
    if ((directory == null) == !shared.isGiven()) {
      throw CommandFailure.usage(
          "Say where the store is: write --directory DIR, --etcd URL or --jdbc URL.");
    }
    return here();
  }

  SharedStoreOptions shared() {
    return shared;
  }
}
