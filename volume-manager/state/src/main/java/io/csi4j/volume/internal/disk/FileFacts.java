package io.csi4j.volume.internal.disk;

/**
 * The facts about a file that are known without opening it.
 *
 * @param kind the kind of file
 * @param identity distinguishes it from every other file, even one with the same name
 * @param size the size in bytes
 * @param modified the time of the last change of its bytes, in nanoseconds of an unspecified clock
 * @param mode the permission bits
 * @param owner the id of the owning user
 * @param device the device that a device node represents, such as {@code 8:1}; empty for other
 *     files
 */
public record FileFacts(
    Kind kind, String identity, long size, long modified, int mode, int owner, String device) {

  /** Creates the facts of a file that is not a device node. */
  public FileFacts(Kind kind, String identity, long size, long modified, int mode, int owner) {
    this(kind, identity, size, modified, mode, owner, "");
  }

  /** The kinds of files. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link; links are not followed. */
    LINK,
    /** The node of a block device. */
    BLOCK_DEVICE,
    /** A socket. */
    SOCKET,
    /** Anything else. */
    OTHER
  }
}
