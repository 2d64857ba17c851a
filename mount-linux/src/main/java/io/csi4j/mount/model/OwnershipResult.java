package io.csi4j.mount.model;

/**
 * How far a pass over the files of a volume is, or how it has ended.
 *
 * @param outcome how it stands
 * @param seen how many files and directories were looked at
 * @param changed how many of them were changed
 * @param left how many were left as they are: device nodes, and directories in which another mount
 *     is
 * @since 1.0
 */
public record OwnershipResult(Outcome outcome, long seen, long changed, long left) {

  /** How a pass stands. */
  public enum Outcome {
    /** It goes on. */
    GOING_ON,
    /** All files are as they are wished. */
    DONE,
    /** The root directory was right already, and no more was asked for. */
    THERE_ALREADY,
    /** The root directory is not as it is wished, and nothing may be changed. */
    DIFFERS,
    /** It ended at its limit of files or time; the next one goes on. */
    LIMIT
  }

  @Override
  public String toString() {
    return outcome + " after " + seen + " files, " + changed + " changed, " + left + " left";
  }
}
