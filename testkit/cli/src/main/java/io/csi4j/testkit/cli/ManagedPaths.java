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
 * The volumes and workloads behind the hashed paths of volume managers. The manager is found by the
 * text of a path, and its state is read only where no server has to answer for it, so that no dead
 * mount is waited for.
 */
final class ManagedPaths {

  /** A staging path, or a target. */
  private static final Pattern OF_A_MANAGER =
      Pattern.compile("(/.+)/v/[^/]+/(?:s|p/[^/]+/t)", Pattern.DOTALL);

  private final MountTable table;
  private final MountSnapshot mounts;
  private final Map<Path, List<ManagerView.VolumePath>> read = new HashMap<>();

  /** The paths in these mounts. */
  ManagedPaths(MountTable table, MountSnapshot mounts) {
    this.table = table;
    this.mounts = mounts;
  }

  /** The volume at a path; empty if it is no path of a manager whose state can be read here. */
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

  /** The path, and beside it whose it is, if that is known. */
  String named(MountPath path) {
    return path + at(path).map(of -> " (" + whose(of) + ")").orElse("");
  }

  private static String whose(ManagerView.VolumePath path) {
    return path.use().map(use -> use.phrase() + " in ").orElse("staging of ") + path.volume();
  }

  /** Paths with their names, so many that a person still reads them. */
  String some(List<MountPath> paths, int shown) {
    List<String> named = paths.stream().limit(shown).map(this::named).toList();
    return String.join(", ", named)
        + (paths.size() > shown ? " and " + (paths.size() - shown) + " more" : "");
  }
}
