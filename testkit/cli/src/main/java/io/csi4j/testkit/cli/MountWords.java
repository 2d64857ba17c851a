package io.csi4j.testkit.cli;

import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import java.nio.file.Path;
import java.util.List;

/**
 * Formats mounts as text and as JSON. The output does not contain the options of the filesystem.
 */
final class MountWords {

  private MountWords() {}

  /** Returns a path of the command line as an absolute path, without following links. */
  static MountPath path(Path path) {
    return CommandFailure.orUsage(() -> MountPath.of(path.toAbsolutePath().normalize()));
  }

  /** Returns the flags in the notation of the kernel's mount tables. */
  static String flags(MountRecord mount) {
    String words = String.join(",", words(mount));
    return words.isEmpty() ? "rw" : words;
  }

  private static List<String> words(MountRecord mount) {
    return mount.flags().stream().sorted().map(MountFlag::word).toList();
  }

  /** Returns a short description of the mount: its filesystem type, its source and its root. */
  static String phrase(MountRecord mount) {
    String source = mount.source().isEmpty() ? "no source" : mount.source().withoutCredentials();
    return "%s from %s%s%s"
        .formatted(
            mount.type(),
            source,
            mount.root().is("/") ? "" : ", showing only " + mount.root(),
            mount.isReadOnly() ? ", read-only" : "");
  }

  static Json json(MountRecord mount) {
    return new Json()
        .with("path", mount.path())
        .with("ref", mount.ref().encode())
        .with("type", mount.type())
        .with("source", mount.source().withoutCredentials())
        .with("root", mount.root())
        .with("device", mount.device())
        .with("flags", words(mount))
        .with("propagation", mount.propagation())
        .with("deleted", mount.isDeleted() ? true : null);
  }

  static Json json(Holder holder) {
    if (holder instanceof Holder.RunningProcess process) {
      return new Json()
          .with("holder", "process")
          .with("pid", process.pid())
          .with("command", process.command())
          .with("uses", process.uses().stream().sorted().map(Enum::name).toList());
    } else if (holder instanceof Holder.Child child) {
      return new Json().with("holder", "mount-on-it").with("path", child.mount().path());
    } else if (holder instanceof Holder.Sibling sibling) {
      return new Json().with("holder", "same-filesystem").with("path", sibling.mount().path());
    }
    Holder.Elsewhere elsewhere = (Holder.Elsewhere) holder;
    return new Json()
        .with("holder", "other-namespace")
        .with("namespace", elsewhere.namespace())
        .with("pid", elsewhere.pid())
        .with("command", elsewhere.command())
        .with("path", elsewhere.path());
  }
}
