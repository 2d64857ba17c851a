package io.csi4j.testkit.cli;

import io.csi4j.mount.MountCapabilities;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.manager.ManagerView;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes an archive for a bug report. */
final class DumpCommand extends ProgramCommand {

  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  @Parameters(paramLabel = "DIR")
  private @Nullable Path directory;

  @Option(names = "--output", paramLabel = "FILE")
  private @Nullable Path output;

  DumpCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    ManagerView view = StateCommand.read(directory == null ? Path.of("") : directory);
    Map<String, String> files = new LinkedHashMap<>();
    files.put("versions.txt", versions());
    files.put("state.json", StateWords.json(view, volume -> true) + "\n");
    files.put("state.txt", text(StateWords.volumes(view, each -> true)));
    files.put("explain.txt", text(StateWords.reasons(view, each -> true)));
    files.put("trouble.txt", text(StateWords.trouble(view)));
    files.put("plugins.txt", text(StateWords.plugins(view)));
    files.put("claims.txt", text(StateWords.claims(view)));
    files.put("mounts.jsonl", mounts(view.root()));
    files.put("kernel.txt", kernel());
    files.put("files.txt", text(files(view.root())));
    Path archive =
        output == null ? Path.of("csi4j-dump-" + MOMENT.format(Instant.now()) + ".zip") : output;
    write(archive, files);
    console.print("Written: " + OneLine.of(archive.toString()));
    return ExitCode.OK;
  }

  private static String text(List<String> lines) {
    return lines.stream().map(line -> OneLine.of(line) + "\n").collect(Collectors.joining());
  }

  private static String versions() {
    return """
        csi4j %s
        CSI 1.13
        Java %s
        %s %s %s
        taken at %s
        """
        .formatted(
            Csi4jCommand.Version.number(),
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch"),
            Instant.now());
  }

  private static String mounts(Path root) {
    MountPath below = MountWords.path(root);
    MountTable table = MountTable.system();
    return Stream.concat(
            table.list().holding(below).stream(),
            table.list(each -> each.path().isWithin(below)).records().stream())
        .map(mount -> MountWords.json(mount) + "\n")
        .collect(Collectors.joining());
  }

  private static String kernel() {
    try {
      return MountCapabilities.system().toString();
    } catch (MountException e) {
      return e.getMessage() + "\n";
    }
  }

  /**
   * Lists the names, kinds, sizes and modes of the files that csi4j created. Files at or below a
   * mount are omitted.
   */
  private static List<String> files(Path root) {
    List<String> lines = new ArrayList<>();
    lines.add(facts(root, root));
    list(root.resolve("state")).forEach(file -> lines.add(facts(root, file)));
    for (Path volume : list(root.resolve("v"))) {
      lines.add(facts(root, volume));
      for (String name : List.of("who", "who.new", "p")) {
        lines.add(facts(root, volume.resolve(name)));
      }
      list(volume.resolve("p")).forEach(use -> lines.add(facts(root, use)));
    }
    return lines.stream().filter(line -> !line.isEmpty()).toList();
  }

  private static List<Path> list(Path directory) {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> names = Files.list(directory)) {
      return names.sorted().toList();
    } catch (IOException unreadable) {
      return List.of();
    }
  }

  private static String facts(Path root, Path file) {
    try {
      PosixFileAttributes facts =
          Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      String kind =
          facts.isDirectory()
              ? "d"
              : facts.isSymbolicLink() ? "l" : facts.isRegularFile() ? "-" : "?";
      return "%s%s %s %s %s %s"
          .formatted(
              kind,
              PosixFilePermissions.toString(facts.permissions()),
              facts.owner().getName(),
              facts.size(),
              facts.lastModifiedTime(),
              file.equals(root) ? "." : root.relativize(file));
    } catch (IOException missing) {
      return "";
    }
  }

  private static void write(Path archive, Map<String, String> files) {
    try {
      // The archive is opened only once. Otherwise, a process that may rename files in this
      // directory could replace the archive between two openings.
      SeekableByteChannel archived =
          Files.newByteChannel(
              archive,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      try (ZipOutputStream zip = new ZipOutputStream(Channels.newOutputStream(archived))) {
        for (Map.Entry<String, String> file : files.entrySet()) {
          zip.putNextEntry(new ZipEntry(file.getKey()));
          zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
          zip.closeEntry();
        }
      }
    } catch (IOException e) {
      throw CommandFailure.usage(
          "Writing the archive %s failed: %s Name another one with --output."
              .formatted(OneLine.quoted(archive.toString()), UserFile.why(e)));
    }
  }
}
