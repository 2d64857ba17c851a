package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.Refusal;
import java.util.Locale;

/**
 * The kinds of storage for the bytes of a volume. The name of a medium is also the name of its
 * directory or file.
 */
enum Medium {
  /** A directory, as large as the filesystem that it is in. */
  DISK,
  /** A tmpfs of the volume's size; a reboot empties it. */
  MEMORY,
  /** A file behind a loop device. */
  LOOP,
  /** A file that is published itself, if no loop device is available. */
  FILE;

  /**
   * Parameter that selects the medium of a new volume, and key of the context entry that contains
   * it.
   */
  static final String KEY = "medium";

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isBlock() {
    return this == LOOP || this == FILE;
  }

  /** Returns the medium in which a copy of a volume in this medium is kept. */
  Medium ofCopies() {
    return isBlock() ? FILE : DISK;
  }

  /** Returns the requested medium of a new volume. */
  static Medium asked(CreateVolumeRequest asked, boolean hasLoops) throws Refusal {
    String word = asked.getParametersOrDefault(KEY, "");
    boolean block = asked.getVolumeCapabilitiesList().stream().anyMatch(each -> each.hasBlock());
    boolean filesystem =
        asked.getVolumeCapabilitiesList().stream().anyMatch(each -> each.hasMount());
    if (block && filesystem) {
      throw new Refusal(
          StatusCode.INVALID_ARGUMENT,
          "The volume cannot be created: it is requested as a filesystem and as a raw device, but"
              + " can be only one of them. Request one.");
    }
    if (!word.isEmpty() && !word.equals(DISK.word()) && !word.equals(MEMORY.word())) {
      throw Refusal.of(
          StatusCode.INVALID_ARGUMENT,
          "The volume cannot be created: the parameter medium is %s. Use disk or memory.",
          word);
    }
    if (block && word.equals(MEMORY.word())) {
      throw new Refusal(
          StatusCode.INVALID_ARGUMENT,
          "The volume cannot be created: this plugin keeps no raw devices in memory. Leave the parameter"
              + " medium out.");
    }
    if (block) {
      return hasLoops ? LOOP : FILE;
    }
    return word.equals(MEMORY.word()) ? MEMORY : DISK;
  }
}
