package io.csi4j.testkit.cli;

import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.LocalStore;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a directory usable again whose records were moved. */
@Command(
    description =
        "Makes a directory usable again whose records were moved to another store, to give a move"
            + " up. What was claimed or created in the other store since is not in the directory:"
            + " make sure that no control plane has used it.",
    exitCodeList = {
      "0:a control plane may open the directory",
      "2:the command line makes no sense",
      "4:the directory cannot be read or written, or is in use"
    },
    footer = "  csi4j store take-back /var/lib/orchestrator/store")
final class StoreTakeBackCommand extends ProgramCommand {

  @Parameters(paramLabel = "DIR", description = "The directory of the LocalStore.")
  private @Nullable Path directory;

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "The keys of sealed records, lines of ID BASE64. Never printed.")
  private @Nullable Path keyFile;

  StoreTakeBackCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    Path path = Path.of(String.valueOf(directory));
    try (LocalStore store = StoreMoveCommand.opened(path, SharedStoreOptions.sealer(keyFile))) {
      Optional<StoreIdentity> moved = store.movedTo();
      if (moved.isPresent()) {
        store.takeBack();
      }
      console.print(
          moved
              .map(
                  to ->
                      "Store '%s' accepts writes again. Store '%s' must not be used any more: some"
                              .formatted(store.identity(), OneLine.of(to.value()))
                          + " or all records are in both.")
              .orElseGet(
                  () ->
                      "The records of store '%s' were not moved; nothing was changed."
                          .formatted(store.identity())));
    }
    return ExitCode.OK;
  }
}
