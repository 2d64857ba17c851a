package io.csi4j.volume.internal.disk;

/** A file that is open for writing. */
public interface DiskFile extends AutoCloseable {

  /** Writes all these bytes there; the file grows when they reach beyond its end. */
  void write(long position, byte[] bytes) throws DiskException;

  /** Returns when all that was written is on the medium. After a failure nothing is certain. */
  void sync() throws DiskException;

  /** Gives up all bytes behind the first so many of a file that is longer. */
  void cut(long length) throws DiskException;

  /** Closes it without syncing. Never fails: what was not synced was never certain. */
  @Override
  void close();
}
