package io.csi4j.volume.internal.disk;

/**
 * The facts of a file that most callers need.
 *
 * @param kind what it is
 * @param mode its permission bits
 * @param size its bytes
 */
public record FileStatus(FileFacts.Kind kind, int mode, long size) {

  /** Returns the status that is part of all facts. */
  public static FileStatus of(FileFacts facts) {
    return new FileStatus(facts.kind(), facts.mode(), facts.size());
  }
}
