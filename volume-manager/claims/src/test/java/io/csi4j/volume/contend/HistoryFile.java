package io.csi4j.volume.contend;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimRecord;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
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

  String reads(VolumeKey volume) {
    String call = next();
    line("read", call, System.nanoTime(), volume);
    return call;
  }

  String writes(ClaimVersion expected, Claim claim, WriteToken token) {
    String call = next();
    line(
        "write",
        call,
        System.nanoTime(),
        claim.volume(),
        expected,
        token,
        HexFormat.of().formatHex(bytes(claim, token)));
    return call;
  }

  void saw(String call, Versioned seen) {
    told("saw", call, seen);
  }

  void conflict(String call, Versioned seen) {
    told("conflict", call, seen);
  }

  private void told(String what, String call, Versioned seen) {
    long now = System.nanoTime();
    if (seen.by().isEmpty()) {
      line(what, call, now, ClaimVersion.NEVER);
    } else {
      WriteToken by = seen.by().get();
      line(what, call, now, seen.version(), by, digest(bytes(seen.claim(), by)));
    }
  }

  void written(String call, ClaimVersion version) {
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
  void found(Versioned there) {
    String call = writes(ClaimVersion.NEVER, there.claim(), there.by().orElseThrow());
    line("found", call, System.nanoTime(), there.version());
  }

  /** Something was seen that must not be. */
  void wrong(String what) {
    line("wrong", process, System.nanoTime(), what);
  }

  static byte[] bytes(Claim claim, WriteToken token) {
    return ClaimCodec.encode(ClaimRecord.of(claim, token, UnknownFields.NONE));
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
