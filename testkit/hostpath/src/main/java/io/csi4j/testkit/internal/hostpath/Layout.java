package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.text.SafeText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The paths below the directory of a plugin:
 *
 * <pre>
 *   state                     the plugin's state
 *   lock, holder              the plugin that uses the directory
 *   volumes/NAME/MEDIUM       the bytes of a volume
 *   snapshots/NAME/MEDIUM     the bytes of a snapshot
 *   work/NAME                 unfinished or not yet removed files
 * </pre>
 *
 * @param data the directory, without symbolic links
 */
record Layout(Path data) {

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  /**
   * Returns the layout below a directory, which is created for its owner alone if it is missing.
   */
  static Layout make(Path data) throws IOException {
    var alone = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    try {
      Files.createDirectories(data, alone);
      Layout layout = new Layout(data.toRealPath());
      for (Path each : new Path[] {layout.volumes(), layout.snapshots(), layout.work()}) {
        Files.createDirectories(each);
      }
      return layout;
    } catch (FileSystemException e) {
      throw new IOException(
          ("Volumes cannot be kept in %s: %s. Name a directory that this process may create and"
                  + " write to.")
              .formatted(SafeText.quote(data.toString()), SafeText.escape(e.toString())),
          e);
    }
  }

  Path state() {
    return data.resolve("state");
  }

  Path lock() {
    return data.resolve("lock");
  }

  Path holder() {
    return data.resolve("holder");
  }

  Path volumes() {
    return data.resolve("volumes");
  }

  Path snapshots() {
    return data.resolve("snapshots");
  }

  Path work() {
    return data.resolve("work");
  }

  Path volume(String id) {
    return volumes().resolve(name(id));
  }

  Path snapshot(String id) {
    return snapshots().resolve(name(id));
  }

  Optional<StoredBytes> volumeBytes(String id) {
    return in(volume(id), id);
  }

  Optional<StoredBytes> snapshotBytes(String id) {
    return in(snapshot(id), id);
  }

  private static Optional<StoredBytes> in(Path directory, String id) {
    for (Medium medium : Medium.values()) {
      Path content = directory.resolve(medium.word());
      if (Files.exists(content, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.of(new StoredBytes(id, medium, content));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns all possible paths of a volume's bytes; a volume whose bytes are gone may have left
   * traces in any medium.
   */
  List<StoredBytes> tracesOf(String id) {
    return volumeBytes(id)
        .map(List::of)
        .orElseGet(
            () ->
                Arrays.stream(Medium.values())
                    .map(medium -> new StoredBytes(id, medium, volume(id).resolve(medium.word())))
                    .toList());
  }

  /** Returns the names in a directory, sorted. */
  static Set<String> names(Path directory) throws IOException {
    Set<String> names = new TreeSet<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      all.forEach(each -> names.add(String.valueOf(each.getFileName())));
    }
    return names;
  }

  /**
   * Returns the name of an id on disk: the id itself if it is safe as a file name, else its digest.
   */
  static String name(String id) {
    return PLAIN.matcher(id).matches() ? id : "=" + digest(id);
  }

  /** Returns a short hexadecimal digest that identifies the text. */
  static String digest(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(StateFile.digest(bytes, bytes.length), 0, 20);
  }

  /** The location of the bytes of one volume or snapshot. */
  record StoredBytes(String id, Medium medium, Path content) {}
}
