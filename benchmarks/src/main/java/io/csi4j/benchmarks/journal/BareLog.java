package io.csi4j.benchmarks.journal;

import io.csi4j.benchmarks.Callers;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes a number of bytes at the next position of an existing file, and waits for {@code
 * fdatasync}. Every log of records must do at least this work. At the end of the file, writing
 * continues at the beginning.
 */
final class BareLog implements Callers.Work, AutoCloseable {

  private static final int SIZE = 1 << 20;

  private final RandomAccessFile file;
  private final byte[] record;
  private final ReentrantLock lock = new ReentrantLock();
  private int at;

  /** Creates a log that writes this number of bytes each time. */
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
      // The bytes change, so that each write differs from the existing content.
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
