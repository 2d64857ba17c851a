package io.csi4j.volume.workload;

/**
 * The kind of volume that a request is for.
 *
 * @since 1.0
 */
public enum VolumeType {
  /** A volume of a CSI plugin. */
  CSI("csi"),
  /** A directory that the host offers under a name. */
  HOST("host");

  private final String word;

  VolumeType(String word) {
    this.word = word;
  }

  /**
   * The type of this word.
   *
   * @throws IllegalArgumentException for any other word
   */
  public static VolumeType parse(String word) {
    for (VolumeType each : values()) {
      if (each.word.equals(word)) {
        return each;
      }
    }
    throw new IllegalArgumentException("A volume is 'csi' or 'host', and not what was given.");
  }

  /** Its word in a job description: {@code csi} or {@code host}. */
  public String word() {
    return word;
  }
}
