package io.csi4j.volume.internal.disk;

/**
 * The facts about a file that most callers need.
 *
 * @param kind the kind of file
 * @param mode the permission bits
 * @param size the size in bytes
 */
public record FileStatus(FileFacts.Kind kind, int mode, long size) {

  /** Returns the status contained in all facts. */
  public static FileStatus of(FileFacts facts) {
    return new FileStatus(facts.kind(), facts.mode(), facts.size());
  }
}
