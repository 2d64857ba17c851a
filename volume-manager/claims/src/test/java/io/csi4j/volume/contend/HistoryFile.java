package io.csi4j.volume.contend;

import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32;

/**
 * What one process asked, was told and did, a line for each. A line is with the kernel before what
 * it speaks of begins, or before the next thing does after it has ended: so a kill loses none.
 *
 * <p>The times are {@link System#nanoTime()}, which all processes of a Linux machine share.
 */
final class HistoryFile implements AutoCloseable {

  private final String process;
  private final FileOutputStream file;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger calls = new AtomicInteger();

  HistoryFile(String process, Path path) {
    this.process = process;
    try {
      file = new FileOutputStream(path.toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void line(Object... words) {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.length() == 0 ? "" : "\t").append(word);
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

  private String next() {
    return process + "." + calls.incrementAndGet();
  }

  // ---- calls of the store, and their ends

  String reads(RecordKey key) {
    String call = next();
    line("read", call, System.nanoTime(), key.volume().orElseThrow());
    return call;
  }

  String writes(RecordWrite write) {
    return writes(
        write.key(),
        write.seen().map(StoredRecord::version).orElse(0L),
        write.next().orElseThrow());
  }

  private String writes(RecordKey key, long expected, StateValue next) {
    String call = next();
    line(
        "write",
        call,
        System.nanoTime(),
        key.volume().orElseThrow(),
        expected,
        StoredClaims.mark(next),
        HexFormat.of().formatHex(next.bytes()));
    return call;
  }

  void saw(String call, Optional<StoredRecord> seen) {
    told("saw", call, seen);
  }

  void conflict(String call, Optional<StoredRecord> seen) {
    told("conflict", call, seen);
  }

  private void told(String what, String call, Optional<StoredRecord> seen) {
    long now = System.nanoTime();
    if (seen.isEmpty()) {
      line(what, call, now, 0);
    } else {
      StateValue value = seen.get().value();
      line(what, call, now, seen.get().version(), StoredClaims.mark(value), digest(value.bytes()));
    }
  }

  void written(String call, long version) {
    line("written", call, System.nanoTime(), version);
  }

  /** Nobody knows what became of it. */
  void unknown(String call) {
    line("unknown", call, System.nanoTime());
  }

  /** It did surely nothing. */
  void failed(String call) {
    line("failed", call, System.nanoTime());
  }

  // ---- what is done with a volume

  /** From before this on the workload uses the volume. */
  void uses(VolumeUse usage, ClaimMode mode, long epoch) {
    line("uses", process, System.nanoTime(), usage.volume(), usage.workload(), mode, epoch);
  }

  /** The workload does not use the volume any more. */
  void leaves(VolumeUse usage) {
    line("leaves", process, System.nanoTime(), usage.volume(), usage.workload());
  }

  /** What a process finds that follows on a killed one: the state of a claim, or {@code none}. */
  void finds(VolumeUse usage, String state) {
    line("finds", process, System.nanoTime(), usage.volume(), usage.workload(), state);
  }

  /** A claim was refused until a person has looked. */
  void held(String why) {
    line("held", process, System.nanoTime(), why);
  }

  /** What a store had when a history begins in the middle. */
  void found(StoredRecord there) {
    String call = writes(there.key(), 0, there.value());
    line("found", call, System.nanoTime(), there.version());
  }

  /** Something was seen that must not be. */
  void wrong(String what) {
    line("wrong", process, System.nanoTime(), what);
  }

  static String digest(byte[] bytes) {
    CRC32 sum = new CRC32();
    sum.update(bytes);
    return Long.toHexString(sum.getValue());
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
