package io.csi4j.testkit.cli;

import io.csi4j.mount.model.MountException;
import io.csi4j.volume.manager.ManagerView;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.ViewedPath;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads the directory of a volume manager, and shows one side of it. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it was read; with check: and nothing in it needs a person",
      "1:check: something in it needs a person",
      "2:the command line makes no sense, or nothing is on record of the volume that it names",
      "4:there is no state of a volume manager, or it cannot be read, or nothing in it can"
    },
    footerHeading = "%nExample:%n")
final class StateCommand implements Callable<Integer> {

  /** The sides of a state that are shown. */
  enum Show {
    /** What is on record. */
    VOLUMES(
        "Shows the volumes that a volume manager has on record, who uses them, and the calls that"
            + " their plugins are owed.",
        "  csi4j state show /var/lib/orchestrator/volumes --json"),
    /** What is not well. */
    TROUBLE(
        "Checks the state of a volume manager: its journal, the identity files of volumes, and"
            + " whether what is on record is mounted here. Run it in the mount namespace of the"
            + " manager.",
        "  csi4j state check /var/lib/orchestrator/volumes"),
    /** What it means. */
    REASONS(
        "Explains each path of each volume: what is on record, what is mounted, what is owed, and"
            + " what a start of the manager would do here.",
        "  csi4j state explain /var/lib/orchestrator/volumes --volume vol-1");

    private final String description;
    private final String example;

    Show(String description, String example) {
      this.description = description;
      this.example = example;
    }

    String description() {
      return description;
    }

    String example() {
      return example;
    }
  }

  @Parameters(paramLabel = "DIR", description = "The directory that the manager was opened with.")
  private @Nullable Path directory;

  @Option(
      names = "--volume",
      paramLabel = "NAME",
      description =
          "Only volumes that the plugin or the host names so, or that a workload of this name uses.")
  private @Nullable String volume;

  @Option(names = "--json", description = "Print one object; it has all sides.")
  private boolean json;

  private final Console console;
  private final Show show;

  StateCommand(Console console, Show show) {
    this.console = console;
    this.show = show;
  }

  @Override
  public Integer call() {
    if (volume != null && (json || show == Show.TROUBLE)) {
      throw CommandFailure.usage(
          "--volume goes with `state show` and `state explain`, without --json: the trouble, and the"
              + " object, are those of the whole directory. Leave it out.");
    }
    ManagerView view = read(directory == null ? Path.of("") : directory);
    Predicate<VolumeIdentity> about = about(view);
    List<String> trouble = StateWords.trouble(view);
    if (json) {
      console.out().println(StateWords.json(view));
    } else {
      lines(view, about, trouble).forEach(console.out()::println);
    }
    if (show == Show.TROUBLE) {
      return trouble.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
    boolean isUnreadable = state(view).mayMissKeys() && state(view).values().isEmpty();
    return isUnreadable ? ExitCode.NO_CONNECTION : ExitCode.OK;
  }

  private static LoadedState state(ManagerView view) {
    return view.journal().state();
  }

  private List<String> lines(
      ManagerView view, Predicate<VolumeIdentity> about, List<String> trouble) {
    return switch (show) {
      case VOLUMES -> StateWords.volumes(view, about);
      case REASONS -> StateWords.reasons(view, about);
      case TROUBLE ->
          trouble.isEmpty()
              ? List.of(OneLine.of(view.root().toString()) + ": nothing needs a person")
              : trouble;
    };
  }

  /** Reads it by its own directory, or by that of its state. */
  static ManagerView read(Path directory) {
    Path root = directory.toAbsolutePath().normalize();
    Path above = root.getParent();
    if (above != null
        && root.endsWith("state")
        && Files.notExists(root.resolve("state"))
        && Files.isDirectory(above.resolve("v"))) {
      root = above;
    }
    try {
      return ManagerView.read(root);
    } catch (StateException | MountException e) {
      throw CommandFailure.noConnection(OneLine.of(String.valueOf(e.getMessage())));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(OneLine.of(String.valueOf(e.getMessage())));
    }
  }

  private Predicate<VolumeIdentity> about(ManagerView view) {
    if (volume == null) {
      return each -> true;
    }
    String name = volume;
    Set<VolumeIdentity> meant =
        view.paths().stream()
            .filter(path -> isNamed(path, name))
            .map(ViewedPath::volume)
            .collect(Collectors.toSet());
    if (meant.isEmpty()) {
      String nothing =
          "Nothing is on record of a volume or workload " + OneLine.quoted(name) + " there";
      throw state(view).mayMissKeys()
          ? CommandFailure.noConnection(
              nothing + ", and what is on record is incomplete. See 'csi4j state check'.")
          : CommandFailure.usage(nothing + ".");
    }
    return meant::contains;
  }

  private static boolean isNamed(ViewedPath path, String name) {
    return path.volume().handle().value().equals(name)
        || path.use()
            .filter(
                use ->
                    use.workload().value().equals(name)
                        || use.volume().id().equals(name)
                        || use.volume().toString().equals(name))
            .isPresent();
  }
}
