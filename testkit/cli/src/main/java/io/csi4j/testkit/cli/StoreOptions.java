package io.csi4j.testkit.cli;

import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.StoreMove;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** The options that name a store. */
final class StoreOptions {

  /**
   * Pattern of a store option in a message. A command with two stores adds a prefix to such
   * options.
   */
  private static final Pattern NAMED =
      Pattern.compile("(?<=^|\\s)--(?=directory|etcd|jdbc|key-file)");

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "The store on this disk, in the directory of a LocalStore.")
  private @Nullable Path directory;

  @Mixin private SharedStoreOptions shared = new SharedStoreOptions();

  private String prefix = "";

  /**
   * Adds these options to a command that names several stores.
   *
   * @param word the prefix of the option names, such as {@code from}
   */
  void addTo(CommandSpec command, String word) {
    prefix = word + "-";
    for (OptionSpec option : CommandSpec.forAnnotatedObject(this).options()) {
      command.addOption(
          OptionSpec.builder(option)
              .names(Stream.of(option.names()).map(this::named).toArray(String[]::new))
              .build());
    }
  }

  private String named(String text) {
    return NAMED.matcher(text).replaceAll("--" + prefix);
  }

  private <T> T named(Supplier<T> work) {
    try {
      return CommandFailure.orUsage(work);
    } catch (CommandFailure failure) {
      throw failure.reworded(this::named);
    }
  }

  /**
   * The result of reading a store.
   *
   * @param records the data that was read from the records
   * @param trouble the problems that need attention
   */
  record Read<T>(T records, List<String> trouble) {

    Read {
      trouble = trouble.stream().map(OneLine::of).toList();
    }
  }

  /** Reads a store, and writes nothing to it. */
  <T> Read<T> read(Function<RecordStore, T> reading, Function<T, List<String>> unreadable) {
    try (RecordStore store = look()) {
      T records = reading.apply(store);
      List<String> trouble = new ArrayList<>(unreadable.apply(records));
      store
          .readOnly()
          .filter(why -> !isEmpty(store))
          .ifPresent(why -> trouble.add("The store accepts no writes: " + why.text() + "."));
      move(store).ifPresent(trouble::add);
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

  /** Returns a problem and its next step if the records of a store were moved or are incomplete. */
  private static Optional<String> move(RecordStore store) {
    try {
      return StoreMove.whyNotUsed(store)
          .map(
              why ->
                  "The store accepts no writes: %s. %s."
                      .formatted(why.text(), OperatorCode.STORE_MOVED.next()));
    } catch (RecordStoreException failed) {
      if (failed.reason() != RecordStoreException.Reason.UNREADABLE) {
        throw failed;
      }
      return Optional.of(String.valueOf(failed.getMessage()));
    }
  }

  /** Returns a problem and its next step if the cluster has not accepted this store. */
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

  /**
   * Returns whether the store has no records. A new store has no mark, and no records that could be
   * missing.
   */
  private static boolean isEmpty(RecordStore store) {
    return Stream.of(RecordKey.Space.values())
        .allMatch(space -> store.scan(space, Optional.empty(), 1).records().isEmpty());
  }

  private List<Path> here() {
    return directory == null ? List.of() : List.of(directory.toAbsolutePath().normalize());
  }

  /** Opens the store for reading. */
  RecordStore look() {
    return named(
        () -> {
          List<Path> here = one();
          return here.isEmpty() ? shared.look() : LocalStore.look(here.get(0), shared.sealer());
        });
  }

  /** Opens an existing store for writing. */
  RecordStore open() {
    // This call fails if no store exists. Opening the store for writing would create a missing
    // store.
    RecordStore there = look();
    if (here().isEmpty()) {
      return there;
    }
    there.close();
    return openOrMake();
  }

  /** Opens a store for writing, and creates it if it is missing. */
  RecordStore openOrMake() {
    return named(
        () -> {
          List<Path> here = one();
          return here.isEmpty()
              ? shared.open()
              : shared
                  .sealer()
                  .map(key -> LocalStore.open(here.get(0), key))
                  .orElseGet(() -> LocalStore.open(here.get(0)));
        });
  }

  /** Returns whether the store is in a directory that is not empty. */
  boolean isInUsedDirectory() {
    return here().stream()
        .anyMatch(
            path -> {
              String[] names = path.toFile().list();
              return names != null && names.length > 0;
            });
  }

  /**
   * Returns the directory that the command line names; empty if it names another kind of store.
   * Fails unless it names exactly one kind of store.
   */
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
