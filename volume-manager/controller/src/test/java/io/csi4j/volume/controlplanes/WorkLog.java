package io.csi4j.volume.controlplanes;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What one control plane was asked and answered, a line each. A line is with the kernel before the
 * operation begins, or before the next one does after it has ended: a kill loses none. The times
 * are {@link System#nanoTime()}, which all processes of a Linux machine share.
 */
final class WorkLog implements AutoCloseable {

  private final String process;
  private final FileOutputStream file;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger operations = new AtomicInteger();

  WorkLog(String process, Path path) {
    this.process = process;
    try {
      file = new FileOutputStream(path.toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    line("life", process, System.nanoTime());
  }

  private void line(Object... words) {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.length() == 0 ? "" : "\t").append(word.toString().replaceAll("[\t\n]", " "));
    }
    byte[] bytes = line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    lock.lock();
    try {
      file.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      lock.unlock();
    }
  }

  /** An operation on a volume begins; returns its number. */
  String begins(ControlPlaneWork.Deed deed, String key) {
    String number = process + "." + operations.incrementAndGet();
    line("begins", number, System.nanoTime(), deed, key);
    return number;
  }

  /** An operation ended well, with the id that it returned or nothing. */
  void done(String number, String id) {
    line("done", number, System.nanoTime(), id);
  }

  /** An operation failed. */
  void failed(String number, Object outcome, String message) {
    line("failed", number, System.nanoTime(), outcome, message);
  }

  /** From before this on the workload may use the volume. */
  void uses(String key, String workload) {
    line("uses", process, System.nanoTime(), key, workload);
  }

  /** The workload does not use the volume any more. */
  void leaves(String key, String workload) {
    line("leaves", process, System.nanoTime(), key, workload);
  }

  /** Something was seen that must not be. */
  void wrong(String what) {
    line("wrong", process, System.nanoTime(), what);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
