package io.csi4j.volume.internal.disk;

/** A file that is open for writing. */
public interface DiskFile extends AutoCloseable {

  /** Writes these bytes at a position; the file grows if they reach beyond its end. */
  void write(long position, byte[] bytes) throws DiskException;

  /**
   * Returns when all written bytes are on the medium. After a failure, the contents are uncertain.
   */
  void sync() throws DiskException;

  /** Truncates a longer file to this length. */
  void cut(long length) throws DiskException;

  /** Closes the file without syncing. Never fails: unsynced bytes were never certain. */
  @Override
  void close();
}
