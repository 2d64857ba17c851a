package io.csi4j.volume.internal.text;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The archive file of a bug report. Only the owner of the file may read it. */
public final class ReportArchive {

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  /** Maximum length of a line, in bytes. */
  private static final int LONGEST_LINE = 4096;

  private ReportArchive() {}

  /** Creates a new file and opens it for writing. */
  @FunctionalInterface
  public interface Creation {

    /**
     * Creates the file.
     *
     * @throws IOException if the path exists, or the file cannot be created
     */
    SeekableByteChannel create(Path archive) throws IOException;
  }

  /** Creates a new file that only its owner may read. */
  public static SeekableByteChannel create(Path archive) throws IOException {
    return Files.newByteChannel(
        archive,
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        PosixFilePermissions.asFileAttribute(OWNER_ONLY));
  }

  /**
   * Creates the file and writes the lines of each entry to it. The file is written through the
   * channel that created it and is never opened again by its name, because another user could have
   * replaced it. If writing fails, the file is deleted.
   *
   * @throws IOException if the path exists, or the file cannot be written
   */
  public static void write(Path archive, Map<String, List<String>> entries, Creation creation)
      throws IOException {
    SeekableByteChannel file = creation.create(archive);
    try {
      write(file, entries);
    } catch (IOException | RuntimeException | Error e) {
      delete(archive, e);
      throw e;
    }
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

  /** Returns the message about an archive that could not be written. */
  public static OperatorMessage failure(Path archive, IOException failure) {
    Subject writing = Subject.of("writing the archive '" + archive + "'");
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

  // ---- entries

  /** Returns these lines, or one line that states that there are none. */
  public static List<String> orElse(String nothing, Stream<String> lines) {
    List<String> all = lines.toList();
    return all.isEmpty() ? List.of(nothing) : all;
  }

  /**
   * Returns the versions of csi4j, CSI, Java and the system, and the time.
   *
   * @param ours a class of the jar whose version is returned
   * @param more an additional line
   */
  public static List<String> versions(Class<?> ours, String more) {
    return List.of(
        "csi4j " + version(ours),
        "CSI 1.13",
        "Java " + Runtime.version(),
        Stream.of("os.name", "os.version", "os.arch")
            .map(System::getProperty)
            .collect(Collectors.joining(" ")),
        "taken at " + Instant.now(),
        more);
  }

  private static String version(Class<?> ours) {
    return Optional.ofNullable(ours.getPackage().getImplementationVersion())
        .or(
            () ->
                Optional.ofNullable(ours.getModule().getDescriptor())
                    .flatMap(ModuleDescriptor::rawVersion))
        .orElse("(not packaged)");
  }
}
