package io.csi4j.testkit.cli;

import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.StoreMove;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has a store used again whose records were moved. */
@Command(
    description =
        "Removes the mark of a move from the store that the records were moved from, to give the"
            + " move up. What was claimed or created in the other store since is not in this one:"
            + " make sure that no control plane has used the other one.",
    exitCodeList = {
      "0:a control plane may use the store",
      "2:the command line makes no sense",
      "4:the store cannot be read or written, or is in use"
    },
    footer = "  csi4j store take-back --directory /var/lib/orchestrator/store")
final class StoreTakeBackCommand extends ProgramCommand {

  @Mixin private StoreOptions options = new StoreOptions();

  StoreTakeBackCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    try (RecordStore store = options.open()) {
      Optional<StoreIdentity> moved = StoreMove.takeBack(store);
      String here = OneLine.of(store.identity().value());
      console.print(
          moved
              .map(
                  to ->
                      "Store '%s' accepts writes again. Store '%s' must not be used any more: some"
                              .formatted(here, OneLine.of(to.value()))
                          + " or all records are in both.")
              .orElseGet(
                  () ->
                      "The records of store '%s' were not moved; nothing was changed."
                          .formatted(here)));
    }
    return ExitCode.OK;
  }
}
