package io.csi4j.volume.manager;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.volume.internal.engine.VolumeEngine.KnownVolume;
import io.csi4j.volume.internal.events.RecentMessages;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.text.ReportArchive;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The state of a manager at one moment, as the entries of an archive. The entries contain no
 * secrets, contexts, mount flags or filesystem options.
 *
 * @param root the directory of the manager
 * @param table the mount table
 * @param node the name of the node, if the manager was opened with claims
 * @param plugins the instances of plugins
 * @param volumes the volumes
 * @param messages the newest messages for operators, the oldest first
 */
record ManagerReport(
    MountPath root,
    MountTable table,
    Optional<NodeName> node,
    List<RegisteredPlugin> plugins,
    List<KnownVolume> volumes,
    List<RecentMessages.Told> messages) {

  // ---- the archive

  /** Writes the report to a new file, and removes the file if writing fails. */
  void writeTo(Path archive) {
    writeTo(archive, ReportArchive::create);
  }

  /**
   * Writes the report to a file.
   *
   * @param creation creates the new file
   */
  void writeTo(Path archive, ReportArchive.Creation creation) {
    try {
      ReportArchive.write(archive, entries(), creation);
    } catch (IOException e) {
      throw new VolumeException(Outcome.REFUSED, ReportArchive.failure(archive, e), null, e);
    }
  }

  private Map<String, List<String>> entries() {
    Map<String, List<String>> entries = new LinkedHashMap<>();
    entries.put("versions.txt", ReportArchive.versions(VolumeManager.class, "directory " + root));
    entries.put(
        "plugins.txt",
        ReportArchive.orElse(
            "no plugin is known",
            plugins.stream().flatMap(plugin -> plugin.linesInFull().stream())));
    entries.put(
        "volumes.txt",
        ReportArchive.orElse("no volume is known", volumes.stream().flatMap(this::volume)));
    entries.put(
        "explain.txt",
        ReportArchive.orElse("no volume is known", volumes.stream().flatMap(this::reasons)));
    entries.put("claims.txt", claims());
    entries.put(
        "owed.txt",
        ReportArchive.orElse("no work is pending", volumes.stream().flatMap(this::owed)));
    entries.put(
        "messages.txt",
        ReportArchive.orElse(
            "no message was reported",
            messages.stream().map(told -> told.at() + " " + told.message().line())));
    entries.put("mounts.txt", mounts());
    return entries;
  }

  // ---- volumes

  private Stream<String> volume(KnownVolume volume) {
    List<String> lines = new ArrayList<>();
    Optional<VolumeStatus> known = volume.explained().status();
    if (known.isEmpty()) {
      return Stream.of(volume.explained().identity() + ": nothing is on record yet");
    }
    VolumeStatus status = known.get();
    lines.add(
        volume.explained().identity()
            + ": "
            + (status.block() ? "raw block device" : "filesystem")
            + status.fsType().map(type -> " " + type).orElse("")
            + ", "
            + status.accessMode()
            + ", staging "
            + status.staging());
    status
        .uses()
        .forEach(
            use ->
                lines.add(
                    "  "
                        + use.key().phrase()
                        + ": "
                        + use.status()
                        + (use.readOnly() ? ", read-only, at " : ", at ")
                        + use.path()));
    status
        .leaving()
        .forEach(use -> lines.add("  no workload has it any more; the last was " + use.phrase()));
    status.abandoned().keySet().stream()
        .sorted()
        .forEach(use -> lines.add("  " + use.phrase() + ": abandoned by an operator"));
    status.health().findings().forEach(finding -> lines.add("  health: " + finding.text()));
    status.trouble().ifPresent(trouble -> lines.add("  trouble: " + trouble.line()));
    return lines.stream();
  }

  private Stream<String> reasons(KnownVolume volume) {
    List<String> lines = new Explanation("", List.of(volume.explained())).lines();
    return Stream.concat(lines.stream().limit(1), lines.stream().skip(1).map(line -> "  " + line));
  }

  // ---- claims

  private List<String> claims() {
    List<String> lines = new ArrayList<>();
    lines.add(
        node.map(name -> "the manager was opened with claims, as node '" + name + "'")
            .orElse("the manager was opened without claims"));
    volumes.stream()
        .flatMap(volume -> volume.record().stream())
        .flatMap(ManagerReport::claims)
        .forEach(lines::add);
    return lines;
  }

  private static Stream<String> claims(VolumeRecord record) {
    return record.targets().values().stream()
        .map(
            target ->
                target.claim().isClaimed()
                    ? ManagerView.claim(record, target).phrase()
                    : record.identity()
                        + ", "
                        + target.usage().phrase()
                        + ": no claim is recorded");
  }

  // ---- pending cleanup

  private Stream<String> owed(KnownVolume volume) {
    List<String> lines = new ArrayList<>();
    volume
        .record()
        .ifPresent(
            record -> {
              ManagerView.pending(record).forEach(owed -> lines.add("  " + owed.phrase()));
              pending("the staging", record.staging(), lines);
              record
                  .targets()
                  .values()
                  .forEach(target -> pending(target.usage().phrase(), target.path(), lines));
            });
    if (lines.isEmpty()) {
      return Stream.empty();
    }
    volume
        .explained()
        .trouble()
        .ifPresent(trouble -> lines.add("  trouble: " + trouble.message().line()));
    return Stream.concat(Stream.of(volume.explained().identity().toString()), lines.stream());
  }

  private static void pending(String of, PathRecord path, List<String> lines) {
    path.pending()
        .ifPresent(
            call ->
                lines.add(
                    "  the plugin may still be working on "
                        + call.verb().operation().rpcName()
                        + " for "
                        + of));
  }

  // ---- mounts

  private List<String> mounts() {
    try {
      MountSnapshot all = table.list();
      List<String> lines = new ArrayList<>();
      all.holding(root).ifPresent(mount -> lines.add("the directory is on " + mount(mount)));
      all.matching(each -> each.path().isWithin(root)).stream()
          .map(ManagerReport::mount)
          .forEach(lines::add);
      return lines;
    } catch (MountException e) {
      return List.of("the mount table cannot be read: " + e.getMessage());
    }
  }

  private static String mount(MountRecord mount) {
    return mount.path()
        + ": "
        + mount.type()
        + " from "
        + mount.source().withoutCredentials()
        + ", its directory "
        + mount.root()
        + ", device "
        + mount.device()
        + ", "
        + mount.ref().identity()
        + (mount.isReadOnly() ? ", read-only" : "")
        + (mount.isDeleted() ? ", deleted" : "");
  }
}
