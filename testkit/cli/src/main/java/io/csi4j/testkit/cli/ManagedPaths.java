package io.csi4j.testkit.cli;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.volume.manager.ManagerView;
import io.csi4j.volume.model.OperatorException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the volume and the workload for a hashed path of a volume manager. The text of the path
 * identifies the manager. The manager's state is read only if this needs no answer from a server,
 * so that the program never hangs on a dead mount.
 */
final class ManagedPaths {

  /** Pattern of a staging or target path. */
  private static final Pattern OF_A_MANAGER =
      Pattern.compile("(/.+)/v/[^/]+/(?:s|p/[^/]+/t)", Pattern.DOTALL);

  private final MountTable table;
  private final MountSnapshot mounts;
  private final Map<Path, List<ManagerView.VolumePath>> read = new HashMap<>();

  /** Creates an index of the paths in these mounts. */
  ManagedPaths(MountTable table, MountSnapshot mounts) {
    this.table = table;
    this.mounts = mounts;
  }

  /**
   * Returns the volume at a path; empty if the path does not belong to a manager, or if the
   * manager's state cannot be read.
   */
  Optional<ManagerView.VolumePath> at(MountPath path) {
    Path wanted = path.toPath();
    Matcher ours = OF_A_MANAGER.matcher(wanted.toString());
    if (!ours.matches()) {
      return Optional.empty();
    }
    return read.computeIfAbsent(Path.of(ours.group(1)), this::paths).stream()
        .filter(each -> each.path().equals(wanted))
        .findFirst();
  }

  private List<ManagerView.VolumePath> paths(Path root) {
    try {
      boolean isLocal =
          mounts
              .holding(MountPath.of(root))
              .map(mount -> table.probe(mount.path()))
              .filter(MountProbe.Mounted.class::isInstance)
              .filter(probe -> ((MountProbe.Mounted) probe).health() == MountProbe.Health.OK)
              .isPresent();
      return isLocal ? ManagerView.read(root).paths() : List.of();
    } catch (OperatorException | MountException | IllegalArgumentException unreadable) {
      return List.of();
    }
  }

  /** Returns the path, followed by its volume and workload if they are known. */
  String named(MountPath path) {
    return path + at(path).map(of -> " (" + whose(of) + ")").orElse("");
  }

  private static String whose(ManagerView.VolumePath path) {
    return path.use().map(use -> use.phrase() + " in ").orElse("staging of ") + path.volume();
  }

  /**
   * Returns a text with the first {@code shown} paths, each with its volume and workload, and the
   * number of the others.
   */
  String some(List<MountPath> paths, int shown) {
    List<String> named = paths.stream().limit(shown).map(this::named).toList();
    return String.join(", ", named)
        + (paths.size() > shown ? " and " + (paths.size() - shown) + " more" : "");
  }
}
