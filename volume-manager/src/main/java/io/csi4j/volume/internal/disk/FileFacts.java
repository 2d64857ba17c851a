package io.csi4j.volume.internal.disk;

/**
 * What is known of a file without opening it.
 *
 * @param kind what it is
 * @param identity tells it from every other file, also from one of the same name
 * @param size its bytes
 * @param modified when its bytes were last changed, in nanoseconds of no particular clock
 * @param mode its permission bits
 */
public record FileFacts(Kind kind, String identity, long size, long modified, int mode) {

  /** What a path can lead to. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link, which is not followed. */
    LINK,
    /** Anything else. */
    OTHER
  }
}
