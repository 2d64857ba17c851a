package io.csi4j.testkit.cli;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordStore;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints or creates the identity of the cluster that uses a store. */
@Command(
    description = {
      "Prints the identity of the cluster of a store, for the configuration of its control planes.",
      "With --create, gives the cluster an identity, once. Recorded volumes keep their names. With"
          + " --create ID, restores the identity that a store lost, if it still has the claims."
    },
    exitCodeList = {
      "0:the identity is printed",
      "1:the cluster has no identity, or works with another store, or the store accepts no writes;"
          + " with --create: it has an identity",
      "2:the command line is invalid",
      "4:the store cannot be reached or read; with --create: or not written"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  csi4j store identity --etcd http://127.0.0.1:2379",
      "  csi4j store identity --etcd http://127.0.0.1:2379 --create"
    })
final class StoreIdentityCommand extends ProgramCommand {

  private static final String NEW = "";

  @Mixin private StoreOptions options = new StoreOptions();

  @Option(
      names = "--create",
      arity = "0..1",
      paramLabel = "ID",
      fallbackValue = NEW,
      description = "Give the cluster an identity: a new one, or ID. A missing store is created.")
  private @Nullable String created;

  StoreIdentityCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    return created == null ? show() : create(created);
  }

  private int show() {
    StoreOptions.Read<Optional<ClusterIdentity>> read =
        options.read(store -> new ClusterSetup(store).identity(), found -> List.of());
    read.records().ifPresent(this::print);
    read.trouble().forEach(console::note);
    if (read.records().isEmpty()) {
      console.note("The cluster has no identity. Give it one with --create.");
    }
    return read.records().isPresent() && read.trouble().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private int create(String identity) {
    Optional<ClusterIdentity> former =
        identity.equals(NEW) ? Optional.empty() : Optional.of(identity(identity));
    try (RecordStore store = options.openOrMake()) {
      ClusterSetup setup = new ClusterSetup(store);
      print(former.map(setup::create).orElseGet(setup::create));
      return ExitCode.OK;
    } catch (ControllerException refused) {
      if (refused.code() != OperatorCode.CLUSTER_EXISTS) {
        throw refused;
      }
      throw CommandFailure.failed(OneLine.of(String.valueOf(refused.getMessage())));
    }
  }

  private static ClusterIdentity identity(String value) {
    try {
      return ClusterIdentity.of(value);
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(OneLine.of(String.valueOf(wrong.getMessage())));
    }
  }

  private void print(ClusterIdentity identity) {
    console.print(OneLine.of(identity.value()));
  }
}
