package io.csi4j.benchmarks.lifecycle;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.RealDisk;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Appends to an existing file and syncs after each record, in the same manner as the journal. All
 * callers share one log, and write one record at a time.
 */
final class BareSyncs implements AutoCloseable {

  private static final int SIZE = 1 << 22;

  private final DiskFile file;
  private final ReentrantLock lock = new ReentrantLock();
  private int at;

  BareSyncs(Path path) throws DiskException {
    file = new RealDisk().create(path);
    file.write(0, new byte[SIZE]);
    file.sync();
  }

  /** Appends this number of bytes, and returns when they are on the medium. */
  void append(int bytes) throws DiskException {
    byte[] record = new byte[bytes];
    lock.lock();
    try {
      at = at + bytes > SIZE ? 0 : at;
      file.write(at, record);
      file.sync();
      at += bytes;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
