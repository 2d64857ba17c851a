package io.csi4j.benchmarks.claims;

import io.csi4j.benchmarks.Callers;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the same bytes repeatedly into an existing file, and syncs after each write. Every log of
 * claims must do at least this work.
 */
final class BareAppends implements Callers.Work, AutoCloseable {

  /** Size in bytes of a journal record without the claim: header, name, version and padding. */
  private static final int FRAME = 67 + 4;

  private static final int SIZE = 1 << 20;

  private final RandomAccessFile file;
  private final List<byte[]> writes;
  private final ReentrantLock lock = new ReentrantLock();
  private int at;

  BareAppends(Path file, List<byte[]> writes) throws IOException {
    this.file = new RandomAccessFile(file.toFile(), "rw");
    this.file.write(new byte[SIZE]);
    this.file.getFD().sync();
    this.writes = writes.stream().map(each -> new byte[each.length + FRAME]).toList();
  }

  @Override
  public void doOnce(int caller) throws IOException {
    for (byte[] each : writes) {
      lock.lock();
      try {
        at = at + each.length > SIZE ? 0 : at;
        file.seek(at);
        file.write(each);
        file.getFD().sync();
        at += each.length;
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
