package io.csi4j.volume.internal.disk;

/**
 * The facts of a file that are known without opening it.
 *
 * @param kind what it is
 * @param identity tells it from every other file, also from one of the same name
 * @param size its bytes
 * @param modified when its bytes were last changed, in nanoseconds of no particular clock
 * @param mode its permission bits
 * @param owner the number of the user whose it is
 * @param device which device a device node stands for, such as {@code 8:1}; empty for all else
 */
public record FileFacts(
    Kind kind, String identity, long size, long modified, int mode, int owner, String device) {

  /** The facts of something that is no device node. */
  public FileFacts(Kind kind, String identity, long size, long modified, int mode, int owner) {
    this(kind, identity, size, modified, mode, owner, "");
  }

  /** The kinds of things that a path can lead to. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link, which is not followed. */
    LINK,
    /** The node of a block device. */
    BLOCK_DEVICE,
    /** A socket. */
    SOCKET,
    /** Anything else. */
    OTHER
  }
}
