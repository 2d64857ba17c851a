package io.csi4j.volume.model;

/**
 * As what a task gets a volume.
 *
 * @since 1.0
 */
public enum AttachmentMode {
  /** As a directory with a filesystem. */
  FILESYSTEM("filesystem"),
  /** As a raw block device. */
  BLOCK("block");

  private final String word;

  AttachmentMode(String word) {
    this.word = word;
  }

  /**
   * The mode of this word, or of {@code file-system} or {@code block-device}, which some job
   * descriptions have for it.
   *
   * @throws IllegalArgumentException for any other word
   */
  public static AttachmentMode parse(String word) {
    return switch (word) {
      case "filesystem", "file-system" -> FILESYSTEM;
      case "block", "block-device" -> BLOCK;
      default ->
          throw new IllegalArgumentException(
              "A volume is attached as 'filesystem' or 'block', and not as what was given.");
    };
  }

  /** Its word in a job description: {@code filesystem} or {@code block}. */
  public String word() {
    return word;
  }
}
