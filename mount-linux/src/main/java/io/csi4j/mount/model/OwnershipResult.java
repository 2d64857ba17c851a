package io.csi4j.mount.model;

/**
 * The progress or the result of a pass over the files of a volume.
 *
 * @param outcome the outcome
 * @param seen the number of files and directories that were examined
 * @param changed the number of changed ones
 * @param left the number of unchanged exceptions: device nodes, and directories on which another
 *     mount is
 * @since 1.0
 */
public record OwnershipResult(Outcome outcome, long seen, long changed, long left) {

  /** The outcomes of a pass. */
  public enum Outcome {
    /** The pass is running. */
    GOING_ON,
    /** All files have the wanted owner and permissions. */
    DONE,
    /** The root directory was right already, and the policy asked for no more. */
    THERE_ALREADY,
    /** The root directory is not right, and the policy permits no change. */
    DIFFERS,
    /** The pass ended at its limit of files or time; the next one continues. */
    LIMIT
  }

  @Override
  public String toString() {
    return outcome + " after " + seen + " files, " + changed + " changed, " + left + " left";
  }
}
