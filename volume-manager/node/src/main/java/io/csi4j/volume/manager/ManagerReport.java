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
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * All that a manager knows at one moment, as the entries of an archive. Holds no secret, context,
 * mount flag or option of a filesystem.
 *
 * @param root the directory of the manager
 * @param table where mounts are seen
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

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  /** So many bytes of a line are shown. */
  private static final int LONGEST_LINE = 4096;

  // ---- the archive

  /** Writes the report into a new file; nothing is left of it where that fails. */
  void writeTo(Path archive) {
    writeTo(archive, ManagerReport::create);
  }

  /** Makes a new file and opens it. */
  @FunctionalInterface
  interface Creation {

    /**
     * Makes the file.
     *
     * @throws IOException if something is there, or the file cannot be made
     */
    SeekableByteChannel create(Path archive) throws IOException;
  }

  /**
   * Writes the report into the file that is made, and opens no file by its name: a user who may
   * rename files there could put another one in its place.
   */
  void writeTo(Path archive, Creation creation) {
    Map<String, List<String>> entries = entries();
    try {
      SeekableByteChannel file = creation.create(archive);
      try {
        write(file, entries);
      } catch (IOException | RuntimeException | Error e) {
        delete(archive, e);
        throw e;
      }
    } catch (IOException e) {
      throw new VolumeException(
          Outcome.REFUSED,
          message(Subject.of("writing the archive '" + archive + "'"), e),
          null,
          e);
    }
  }

  /** Makes the new file, which only its owner may read. */
  static SeekableByteChannel create(Path archive) throws IOException {
    return Files.newByteChannel(
        archive,
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        PosixFilePermissions.asFileAttribute(OWNER_ONLY));
  }

  private static void write(SeekableByteChannel file, Map<String, List<String>> entries)
      throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Channels.newOutputStream(file))) {
      for (Map.Entry<String, List<String>> entry : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        for (String line : entry.getValue()) {
          zip.write((ForeignText.of(line, LONGEST_LINE) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        zip.closeEntry();
      }
    }
  }

  private static void delete(Path archive, Throwable failure) {
    try {
      Files.deleteIfExists(archive);
    } catch (IOException left) {
      failure.addSuppressed(left);
    }
  }

  private static OperatorMessage message(Subject writing, IOException failure) {
    if (failure instanceof FileAlreadyExistsException) {
      return Messages.of(
          OperatorCode.PATH_IN_THE_WAY,
          writing,
          "it is there already",
          new OperatorMessage.Part("Name a path where nothing is"));
    } else if (failure instanceof NoSuchFileException) {
      return Messages.of(
          OperatorCode.PATH_FAILED,
          writing,
          "its directory is not there",
          new OperatorMessage.Part("Make it, or name another one"));
    }
    String seen =
        failure instanceof AccessDeniedException
            ? "this process may not write there"
            : failure.getMessage();
    return Messages.of(
        failure instanceof AccessDeniedException
            ? OperatorCode.PATH_DENIED
            : OperatorCode.PATH_FAILED,
        writing,
        seen == null ? failure.getClass().getSimpleName() : seen,
        new OperatorMessage.Part("Name another directory"));
  }

  private Map<String, List<String>> entries() {
    Map<String, List<String>> entries = new LinkedHashMap<>();
    entries.put("versions.txt", versions());
    entries.put(
        "plugins.txt",
        orElse("no plugin is known", plugins.stream().flatMap(ManagerReport::plugin)));
    entries.put(
        "volumes.txt", orElse("no volume is known", volumes.stream().flatMap(this::volume)));
    entries.put(
        "explain.txt", orElse("no volume is known", volumes.stream().flatMap(this::reasons)));
    entries.put("claims.txt", claims());
    entries.put("owed.txt", orElse("nothing is owed", volumes.stream().flatMap(this::owed)));
    entries.put(
        "messages.txt",
        orElse(
            "nothing was told",
            messages.stream().map(told -> told.at() + " " + told.message().line())));
    entries.put("mounts.txt", mounts());
    return entries;
  }

  private static List<String> orElse(String nothing, Stream<String> lines) {
    List<String> all = lines.toList();
    return all.isEmpty() ? List.of(nothing) : all;
  }

  // ---- versions

  private List<String> versions() {
    return List.of(
        "csi4j " + version(),
        "CSI 1.13",
        "Java " + Runtime.version(),
        Stream.of("os.name", "os.version", "os.arch")
            .map(System::getProperty)
            .collect(Collectors.joining(" ")),
        "taken at " + Instant.now(),
        "directory " + root);
  }

  private static String version() {
    return Optional.ofNullable(VolumeManager.class.getPackage().getImplementationVersion())
        .or(
            () ->
                Optional.ofNullable(VolumeManager.class.getModule().getDescriptor())
                    .flatMap(ModuleDescriptor::rawVersion))
        .orElse("(not packaged)");
  }

  // ---- plugins

  private static Stream<String> plugin(RegisteredPlugin plugin) {
    List<String> lines = plugin.lines();
    lines.add(
        plugin.remembered()
            ? "  remembered from an earlier run, and not registered since"
            : "  registered in this run");
    PluginHealth health = plugin.health();
    lines.add(
        "  health: "
            + health.state()
            + " since "
            + health.since()
            + ", "
            + health.reason()
            + ": "
            + health.text());
    return lines.stream();
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
        .forEach(use -> lines.add("  " + use.phrase() + ": abandoned by a person"));
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
                        + ": no claim is on record");
  }

  // ---- what is owed

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
