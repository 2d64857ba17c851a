package io.csi4j.testkit.cli;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.StoreMove;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a store usable again after its records were moved. */
@Command(
    description =
        "Removes the mark of a move from the source store, to give up the move. The source lacks"
            + " what was claimed or created in the target since: make sure that no control plane"
            + " has used the target. Without --yes, it only says where the records are.",
    exitCodeList = {
      "0:a control plane may use the store",
      "1:the records were moved: without --yes",
      "2:the command line is invalid",
      "4:the store cannot be read or written, or is in use"
    },
    footer = "  csi4j store take-back --directory /var/lib/orchestrator/store --yes")
final class StoreTakeBackCommand extends ProgramCommand {

  @Mixin private StoreOptions options = new StoreOptions();

  @Option(names = "--yes", description = "Take them back: no control plane uses the other store.")
  private boolean yes;

  StoreTakeBackCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    try (RecordStore store = options.open()) {
      String here = OneLine.of(store.identity().value());
      Optional<ReasonText> why = StoreMove.whyNotUsed(store);
      if (why.isPresent() && !yes) {
        console.print("Store '" + here + "' is not used: " + OneLine.of(why.get().text()) + ".");
        console.print(
            "Nothing was changed. Make sure that no control plane has used the other store, or will"
                + " use it; then repeat the command with --yes.");
        return ExitCode.FAILED;
      }
      Optional<StoreIdentity> moved = StoreMove.takeBack(store);
      console.print(
          moved
              .map(
                  to ->
                      "Store '%s' accepts writes again. Store '%s' must not be used any more: it"
                              .formatted(here, OneLine.of(to.value()))
                          + " has copies of some or all records.")
              .orElseGet(
                  () ->
                      "The records of store '%s' were not moved; nothing was changed."
                          .formatted(here)));
    }
    return ExitCode.OK;
  }
}
