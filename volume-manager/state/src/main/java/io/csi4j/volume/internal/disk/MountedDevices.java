package io.csi4j.volume.internal.disk;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The kernel's mount table, read until a device is found. Filesystems that were mounted at boot are
 * in its first rows, however many volumes were mounted since.
 */
final class MountedDevices {

  private static final Path ROWS = Path.of("/proc/self/mountinfo");

  /** The field with the device, and the first of the optional fields. */
  private static final int DEVICE = 2;

  private static final int TAGS = 6;

  private MountedDevices() {}

  /**
   * Returns the type of the filesystem on a device.
   *
   * @param device the number of the device, such as {@code 8:1}
   * @return empty if no row has the device: some filesystems show another number to programs
   */
  static Optional<String> type(String device) throws IOException {
    try (Reader rows = Files.newBufferedReader(ROWS, StandardCharsets.ISO_8859_1)) {
      return type(device, rows);
    }
  }

  /** Returns the type from these rows, as {@link #type(String)} does. */
  static Optional<String> type(String device, Reader rows) throws IOException {
    BufferedReader lines = new BufferedReader(rows);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      List<String> fields = Arrays.asList(line.split(" ", -1));
      if (fields.size() > TAGS && fields.get(DEVICE).equals(device)) {
        List<String> tags = fields.subList(TAGS, fields.size());
        int type = tags.indexOf("-") + 1;
        return type > 0 && type < tags.size() ? Optional.of(tags.get(type)) : Optional.empty();
      }
    }
    return Optional.empty();
  }
}
