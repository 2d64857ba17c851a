package io.csi4j.testkit.cli;

import io.csi4j.volume.manager.ManagerView;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.state.LoadedState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads the directory of a volume manager, and prints one view of the manager's state. */
final class StateCommand extends ProgramCommand {

  /** The available views of a manager's state. */
  enum Show {
    /** All recorded volumes. */
    VOLUMES,
    /** Only problems that need attention. */
    TROUBLE,
    /** Explanations for each path and its pending work. */
    REASONS
  }

  /** Pattern of the code at the beginning of a line that needs attention. */
  private static final Pattern CODE = Pattern.compile("^([A-Z][A-Z0-9_]+(?:-\\d+ [A-Z_]+)?)(?=: )");

  /** Maximum number of names that are suggested. */
  private static final int SUGGESTED = 10;

  @Parameters(paramLabel = "DIR")
  private @Nullable Path directory;

  @Option(names = "--volume", paramLabel = "NAME")
  private @Nullable String volume;

  @Option(names = "--json")
  private boolean json;

  @Option(names = "--watch")
  private boolean watch;

  @Option(names = "--every", paramLabel = "TIME", defaultValue = "2s")
  private Duration every = Duration.ofSeconds(2);

  private final ShutdownTrigger ending;
  private final Show show;
  private Look before = new Look(List.of(), ExitCode.OK);

  StateCommand(Console console, ShutdownTrigger ending, Show show) {
    super(console);
    this.ending = ending;
    this.show = show;
  }

  /**
   * The result of reading the directory once.
   *
   * @param lines the lines to print
   * @param code the exit code of the program if the directory is not read again
   */
  private record Look(List<String> lines, int code) {

    Look {
      lines = lines.stream().map(OneLine::of).toList();
    }

    /**
     * Returns the lines in groups. Each group is a line without indentation and the indented lines
     * below it.
     */
    List<List<String>> parts() {
      List<List<String>> parts = new ArrayList<>();
      for (String line : lines) {
        if (parts.isEmpty() || !line.startsWith(" ")) {
          parts.add(new ArrayList<>());
        }
        parts.get(parts.size() - 1).add(line);
      }
      return parts;
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    if (volume != null && show == Show.TROUBLE) {
      throw CommandFailure.usage(
          "--volume works only with `state show` and `state explain`. Leave it out.");
    }
    CountDownLatch over = new CountDownLatch(1);
    if (watch) {
      ending.whenAsked(over::countDown);
    }
    before = look();
    before.lines().forEach(this::print);
    return watch
        ? RepeatedLook.until(
            over, every, console, before.code(), "The state can be read again.", this::lookAgain)
        : before.code();
  }

  private Look look() {
    ManagerView view = read(directory == null ? Path.of("") : directory);
    List<String> trouble = StateWords.trouble(view);
    List<String> lines =
        json
            ? List.of(StateWords.json(view, about(view)).toString())
            : lines(view, about(view), trouble);
    if (show == Show.TROUBLE) {
      return new Look(lines, trouble.isEmpty() ? ExitCode.OK : ExitCode.FAILED);
    }
    boolean isUnreadable = state(view).mayMissKeys() && state(view).values().isEmpty();
    return new Look(lines, isUnreadable ? ExitCode.NO_CONNECTION : ExitCode.OK);
  }

  /** Reads the directory again, and prints the changes. */
  private int lookAgain() {
    // If the directory is unreadable, the reading throws an exception, and no volume is reported as
    // removed.
    Look now = look();
    changes(before, now).forEach(this::print);
    before = now;
    return now.code();
  }

  private List<String> changes(Look before, Look now) {
    if (now.lines().equals(before.lines())) {
      return List.of();
    }
    if (json) {
      return now.lines();
    }
    if (show == Show.TROUBLE) {
      return at(now.lines());
    }
    List<List<String>> then = before.parts();
    List<List<String>> parts = now.parts();
    List<String> changed = new ArrayList<>();
    parts.stream().filter(part -> !then.contains(part)).forEach(changed::addAll);
    Set<String> names = parts.stream().map(StateCommand::name).collect(Collectors.toSet());
    then.stream()
        .map(StateCommand::name)
        .filter(name -> name.startsWith("volume '") && !names.contains(name))
        .forEach(name -> changed.add(name + ": no longer recorded"));
    return at(changed);
  }

  /** Returns the name of the volume that a group of lines describes. */
  private static String name(List<String> part) {
    return part.get(0).replaceFirst(": .*", "");
  }

  private static List<String> at(List<String> lines) {
    List<String> all = new ArrayList<>();
    all.add(RepeatedLook.heading());
    all.addAll(lines);
    return all;
  }

  private void print(String line) {
    Screen screen = console.screen();
    console.print(
        line.startsWith("--- ")
            ? screen.heading(line)
            : CODE.matcher(line).replaceFirst(screen.alarm("$1")));
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
          trouble.isEmpty() ? List.of(view.root() + ": no problem needs action") : trouble;
    };
  }

  /**
   * Reads the state of a manager. The directory may be the manager's root, or the state directory
   * in it.
   */
  static ManagerView read(Path directory) {
    Path root = directory.toAbsolutePath().normalize();
    Path above = root.getParent();
    if (above != null
        && root.endsWith("state")
        && Files.notExists(root.resolve("state"))
        && Files.isDirectory(above.resolve("v"))) {
      root = above;
    }
    Path wanted = root;
    return CommandFailure.orUsage(() -> ManagerView.read(wanted));
  }

  private Predicate<VolumeIdentity> about(ManagerView view) {
    if (volume == null) {
      return each -> true;
    }
    String name = volume;
    Set<VolumeIdentity> meant =
        view.paths().stream()
            .filter(path -> isNamed(path, name))
            .map(ManagerView.VolumePath::volume)
            .collect(Collectors.toSet());
    if (meant.isEmpty()) {
      String nothing = "The state has no record of a volume or workload " + OneLine.quoted(name);
      throw state(view).mayMissKeys()
          ? CommandFailure.noConnection(
              nothing + ", but the records are incomplete. See 'csi4j state check'.")
          : CommandFailure.usage(nothing + ". " + named(view));
    }
    return meant::contains;
  }

  /**
   * Returns the first names in the records as suggestions, because the given name may be
   * misspelled.
   */
  private static String named(ManagerView view) {
    SortedSet<String> names = new TreeSet<>();
    view.volumes().forEach(volume -> names.add(volume.handle().value()));
    view.volumes().stream()
        .flatMap(volume -> volume.uses().stream())
        .map(VolumeStatus.Use::key)
        .forEach(use -> names.addAll(List.of(use.volume().id(), use.workload().value())));
    String first =
        names.stream().limit(SUGGESTED).map(OneLine::quoted).collect(Collectors.joining(", "));
    return names.isEmpty()
        ? "No volume is recorded."
        : "They name "
            + first
            + (names.size() > SUGGESTED ? " and " + (names.size() - SUGGESTED) + " more." : ".");
  }

  private static boolean isNamed(ManagerView.VolumePath path, String name) {
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
