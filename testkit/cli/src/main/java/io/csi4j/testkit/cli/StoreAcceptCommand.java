package io.csi4j.testkit.cli;

import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.StoreMove;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Settles a store that accepts no writes. */
@Command(
    description = {
      "Accepts a store that may have lost records: one that was restored from an older copy, or"
          + " whose journal is damaged. Without --yes, it only reports the problem.",
      "First compare its claims with the records and mounts of every node, and its volumes"
          + " with the storage systems. Stop workloads that have a volume mounted without a claim."
    },
    exitCodeList = {
      "0:the store accepts writes",
      "1:the store still refuses some or all writes: --yes is missing, or its records were moved",
      "2:the command line is invalid",
      "4:the store cannot be reached, read or written"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j store accept --etcd http://127.0.0.1:2379",
      "  csi4j store accept --etcd http://127.0.0.1:2379 --yes"
    })
final class StoreAcceptCommand extends ProgramCommand {

  @Mixin private StoreOptions store = new StoreOptions();

  @Option(names = "--yes", description = "Accept it, after a person has compared its records.")
  private boolean yes;

  StoreAcceptCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    StoreOptions.Read<StoreIdentity> read =
        store.read(StoreAcceptCommand::identity, id -> List.of());
    String before = "Store '" + OneLine.of(read.records().value()) + "'";
    if (read.trouble().isEmpty()) {
      console.print(before + " accepts writes. There is nothing to accept.");
      return ExitCode.OK;
    }
    if (!yes) {
      console.print(before + " needs a decision:");
      read.trouble().forEach(line -> console.print("  " + line));
      console.print(
          "Nothing was changed. Compare its claims with the records and mounts of every node, and"
              + " its volumes with the storage systems; then repeat the command with --yes.");
      return ExitCode.FAILED;
    }
    StoreIdentity now = settle();
    console.print(
        "%s was accepted. It accepts writes, and is store '%s' from now on."
            .formatted(before, OneLine.of(now.value())));
    console.print(
        "Restart every process that used the store before, and update the settings that name it.");
    return ExitCode.OK;
  }

  /**
   * Returns the identity of the store. A store whose records were moved is refused, because another
   * store has its records.
   */
  private static StoreIdentity identity(RecordStore store) {
    StoreMove.whyNotUsed(store)
        .ifPresent(
            why -> {
              throw CommandFailure.failed(
                  OneLine.of(
                      "Accepting the store failed: %s. %s."
                          .formatted(why.text(), OperatorCode.STORE_MOVED.next())));
            });
    return store.identity();
  }

  private StoreIdentity settle() {
    List<Path> here = store.one();
    if (here.isEmpty()) {
      return store.shared().settle(StoreAcceptCommand::accept);
    }
    Optional<Sealer> sealer = store.shared().sealer();
    try (LocalStore local =
        CommandFailure.orUsage(
            () ->
                sealer
                    .map(key -> LocalStore.open(here.get(0), key))
                    .orElseGet(() -> LocalStore.open(here.get(0))))) {
      local.settle();
      accept(local);
      return local.identity();
    }
  }

  /** Makes the cluster use the store from now on, if the cluster has an identity. */
  private static void accept(RecordStore settled) {
    ClusterSetup cluster = new ClusterSetup(settled);
    if (cluster.identity().isPresent()) {
      var unused = cluster.accept();
    }
  }
}
