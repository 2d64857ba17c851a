package io.csi4j.testkit.cli;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.volume.manager.ManagerView;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Explains why a path is mounted, or why it is not. */
final class MountWhyCommand extends ProgramCommand {

  /** Maximum number of paths of each kind that are printed. */
  private static final int NAMED = 5;

  @Parameters(paramLabel = "PATH")
  private @Nullable Path path;

  @Option(names = "--json")
  private boolean json;

  MountWhyCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    MountPath asked = MountWords.path(path == null ? Path.of("/") : path);
    MountTable table = MountTable.system();
    MountSnapshot snapshot = table.list();
    MountProbe probe = table.probe(asked);
    Optional<MountRecord> mount = table.find(asked);
    ManagedPaths names = new ManagedPaths(table, snapshot);
    Optional<ManagerView.VolumePath> volume = names.at(asked);
    if (json) {
      console.print(json(asked, probe, mount, snapshot, volume));
    } else {
      print(asked, probe, mount, snapshot, names);
    }
    return mount.isPresent() && isWell(probe, mount.get(), volume) ? ExitCode.OK : ExitCode.FAILED;
  }

  private static boolean isWell(
      MountProbe probe, MountRecord mount, Optional<ManagerView.VolumePath> volume) {
    boolean isDead =
        probe instanceof MountProbe.Mounted mounted && mounted.health() == MountProbe.Health.DEAD;
    boolean isAsRecorded = volume.map(it -> it.recorded() == it.found()).orElse(true);
    return !isDead && !mount.isDeleted() && isAsRecorded;
  }

  private void print(
      MountPath asked,
      MountProbe probe,
      Optional<MountRecord> mount,
      MountSnapshot snapshot,
      ManagedPaths names) {
    if (mount.isEmpty()) {
      line(
          "Nothing is mounted at %s%s"
              .formatted(
                  asked, probe instanceof MountProbe.Missing ? "; the path does not exist" : ""));
      snapshot
          .holding(asked)
          .map(in -> "  it is inside the mount at " + in.path() + ": " + MountWords.phrase(in))
          .ifPresent(this::line);
    } else {
      MountRecord top = mount.get();
      line(asked + " is " + MountWords.phrase(top));
      if (probe instanceof MountProbe.Mounted mounted) {
        line("  health: " + health(mounted));
      }
      if (top.isDeleted()) {
        line("  its directory was deleted: it can only be unmounted");
      }
      line("  flags: " + MountWords.flags(top));
      line("  propagation: " + propagation(top));
      paths("  the same directory is mounted at: ", same(top, snapshot), names);
      paths("  mounted on it: ", mountedOn(top, snapshot), names);
      int layers =
          snapshot
              .matching(each -> each.path().equals(asked) && !each.ref().equals(top.ref()))
              .size();
      if (layers > 0) {
        line("  hidden mounts at the same path: " + layers);
      }
    }
    names.at(asked).ifPresent(it -> StateWords.why(it).forEach(text -> line("  " + text)));
  }

  private void line(String text) {
    console.print(OneLine.of(text));
  }

  private static String health(MountProbe.Mounted mounted) {
    return switch (mounted.health()) {
      case OK -> "it needs no server";
      case DEAD -> "dead: its server is gone, and it can only be unmounted";
      case DENIED -> "this user may not access it";
      case UNKNOWN -> "it needs a server, which was not checked";
    };
  }

  private static String propagation(MountRecord mount) {
    String meaning =
        mount.propagation().sends()
            ? "mounts made below it appear in its peers, and the reverse"
            : mount.propagation().receives()
                ? "mounts made elsewhere appear below it, but not the reverse"
                : "mounts made below it appear nowhere else";
    return mount.propagation() + ": " + meaning;
  }

  private void paths(String what, List<MountPath> paths, ManagedPaths names) {
    if (!paths.isEmpty()) {
      line(what + names.some(paths, NAMED));
    }
  }

  private static List<MountPath> same(MountRecord mount, MountSnapshot snapshot) {
    return snapshot.refs(mount.device(), mount.root()).stream()
        .filter(each -> !each.ref().equals(mount.ref()))
        .map(MountRecord::path)
        .toList();
  }

  private static List<MountPath> mountedOn(MountRecord mount, MountSnapshot snapshot) {
    return snapshot.children(mount).stream().map(MountRecord::path).toList();
  }

  private static Json json(
      MountPath asked,
      MountProbe probe,
      Optional<MountRecord> mount,
      MountSnapshot snapshot,
      Optional<ManagerView.VolumePath> volume) {
    Json json =
        new Json()
            .with("path", asked)
            .with("mounted", mount.isPresent())
            .with("mount", mount.map(MountWords::json));
    if (mount.isEmpty()) {
      json.with("inside", snapshot.holding(asked).map(MountWords::json));
    } else {
      if (probe instanceof MountProbe.Mounted mounted) {
        json.with("health", mounted.health().name().toLowerCase(Locale.ROOT));
      }
      json.with("same_at", same(mount.get(), snapshot));
      json.with("mounted_on_it", mountedOn(mount.get(), snapshot));
    }
    return json.with("volume", volume.map(StateWords::json));
  }
}
