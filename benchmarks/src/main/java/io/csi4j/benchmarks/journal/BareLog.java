package io.csi4j.benchmarks.journal;

import io.csi4j.benchmarks.Callers;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes a number of bytes to the next place of a file that was made beforehand, and waits for
 * {@code fdatasync}: what no log of records can do without. At the end of the file it starts again
 * at the beginning.
 */
final class BareLog implements Callers.Work, AutoCloseable {

  private static final int SIZE = 1 << 20;

  private final RandomAccessFile file;
  private final byte[] record;
  private final ReentrantLock lock = new ReentrantLock();
  private int at;

  /** Writes so many bytes each time. */
  BareLog(Path file, int bytes) throws IOException {
    this.file = new RandomAccessFile(file.toFile(), "rw");
    this.file.write(new byte[SIZE]);
    this.file.getFD().sync();
    this.record = new byte[bytes];
  }

  @Override
  public void doOnce(int caller) throws IOException {
    lock.lock();
    try {
      at = at + record.length > SIZE ? 0 : at;
      // Not what is there already.
      record[0]++;
      file.seek(at);
      file.write(record);
      file.getChannel().force(false);
      at += record.length;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
