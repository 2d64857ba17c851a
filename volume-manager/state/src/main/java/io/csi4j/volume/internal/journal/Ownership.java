package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileLook;
import io.csi4j.volume.internal.disk.HeldLock;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.StateStore;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The permission to write to a directory: its owner holds the lock on {@code lock}, and records
 * itself in {@code owner}. The files are separate because reading a locked file can release the
 * lock.
 */
final class Ownership {

  private static final int RECORD_SIZE = 512;

  private final Disk disk;
  private final Path lockFile;
  private final Path ownerFile;
  private @Nullable HeldLock lock;
  private @Nullable FileLook left;

  Ownership(Disk disk, Path directory) {
    this.disk = disk;
    this.lockFile = directory.resolve("lock");
    this.ownerFile = directory.resolve("owner");
  }

  /** Returns whether this object has the lock now. */
  boolean acquire() throws DiskException {
    if (lock == null) {
      lock = disk.tryLock(lockFile).orElse(null);
    }
    return lock != null;
  }

  boolean isHeld() {
    return lock != null;
  }

  /** Returns the recorded owner; empty if there is none, or the record is unreadable. */
  Optional<StateStore.Owner> recorded() {
    try {
      return parse(new String(disk.read(ownerFile, RECORD_SIZE), StandardCharsets.US_ASCII));
    } catch (DiskException e) {
      return Optional.empty();
    }
  }

  /** Records the owner in place, so that no space is needed. */
  void record(StateStore.Owner owner) throws DiskException {
    byte[] bytes =
        (text(owner) + "\n".repeat(RECORD_SIZE))
            .substring(0, RECORD_SIZE)
            .getBytes(StandardCharsets.US_ASCII);
    try (DiskFile file =
        disk.facts(ownerFile).isPresent() ? disk.open(ownerFile) : disk.create(ownerFile)) {
      file.write(0, bytes);
      file.sync();
    }
    left = disk.look(ownerFile).orElse(null);
  }

  /** Whether the record of the owner is unchanged. */
  boolean isUntouched() throws DiskException {
    return left == null || disk.look(ownerFile).filter(left::equals).isPresent();
  }

  void release() {
    if (lock != null) {
      lock.close();
      lock = null;
    }
  }

  private static String text(StateStore.Owner owner) {
    return "pid="
        + owner.pid()
        + "\nprocess-start="
        + owner.processStart()
        + "\nepoch="
        + owner.epoch()
        + "\nhost="
        + owner.host().host()
        + "\nboot="
        + owner.host().boot()
        + "\nmount-namespace="
        + owner.host().mountNamespace()
        + "\n";
  }

  private static Optional<StateStore.Owner> parse(String text) {
    Properties parts = new Properties();
    try {
      parts.load(new StringReader(text));
      long epoch = Long.parseLong(part(parts, "epoch"));
      if (!Entry.isNumber(epoch)) {
        return Optional.empty();
      }
      return Optional.of(
          new StateStore.Owner(
              Long.parseLong(part(parts, "pid")),
              Instant.parse(part(parts, "process-start")),
              epoch,
              new HostIdentity(
                  new HostIdentity.HostId(part(parts, "host")),
                  new HostIdentity.BootId(part(parts, "boot")),
                  Long.parseLong(part(parts, "mount-namespace")))));
    } catch (IOException | RuntimeException e) {
      // The text was written by another program, or is incomplete.
      return Optional.empty();
    }
  }

  private static String part(Properties parts, String name) {
    return parts.getProperty(name, "?");
  }
}
