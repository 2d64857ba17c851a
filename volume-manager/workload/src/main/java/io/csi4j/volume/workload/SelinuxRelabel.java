package io.csi4j.volume.workload;

/**
 * The users of the files of a volume after a runtime has labelled them for SELinux.
 *
 * @since 1.0
 */
public enum SelinuxRelabel {
  /** All tasks ({@code z}). */
  SHARED("z"),
  /** This task alone ({@code Z}): the files are taken away from all others. */
  PRIVATE("Z");

  private final String word;

  SelinuxRelabel(String word) {
    this.word = word;
  }

  /**
   * The relabelling of this letter.
   *
   * @throws IllegalArgumentException for anything else
   */
  public static SelinuxRelabel parse(String letter) {
    return switch (letter) {
      case "z" -> SHARED;
      case "Z" -> PRIVATE;
      default ->
          throw new IllegalArgumentException(
              "Files are labelled with 'z' for all tasks or 'Z' for one, and not as was given.");
    };
  }

  /** Its letter: {@code z} or {@code Z}. */
  public String word() {
    return word;
  }
}
