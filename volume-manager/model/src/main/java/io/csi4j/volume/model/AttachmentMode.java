package io.csi4j.volume.model;

/**
 * The form in which a task accesses a volume.
 *
 * @since 1.0
 */
public enum AttachmentMode {
  /** A directory with a filesystem. */
  FILESYSTEM("filesystem"),
  /** A raw block device. */
  BLOCK("block");

  private final String word;

  AttachmentMode(String word) {
    this.word = word;
  }

  /**
   * Returns the mode with this name. Also accepts {@code file-system} and {@code block-device},
   * which some job descriptions use.
   *
   * @throws IllegalArgumentException for any other name
   */
  public static AttachmentMode parse(String word) {
    return switch (word) {
      case "filesystem", "file-system" -> FILESYSTEM;
      case "block", "block-device" -> BLOCK;
      default ->
          throw new IllegalArgumentException(
              "A volume is attached as 'filesystem' or 'block'; the given value is neither.");
    };
  }

  /** Returns the name of the mode in a job description: {@code filesystem} or {@code block}. */
  public String word() {
    return word;
  }
}
