package io.csi4j.volume.state;

import io.csi4j.volume.internal.disk.RealDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The host, boot and mount namespace in which something happened. Mounts are certain to still exist
 * only while all three are the same. The kernel may reuse the inode of an ended namespace, so that
 * equality proves nothing.
 *
 * @param host the host
 * @param boot the boot
 * @param mountNamespace the inode of the mount namespace; 0 if not known
 * @since 1.0
 */
public record HostIdentity(HostId host, BootId boot, long mountNamespace) {

  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._-]{0,64}");
  private static final Path MACHINE = Path.of("/etc/machine-id");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path NAMESPACE = Path.of("/proc/self/ns/mnt");

  /**
   * The name of a host.
   *
   * @param value at most 64 of the characters {@code A-Z a-z 0-9 . _ -}; empty if not known
   */
  public record HostId(String value) {

    /** Checks the characters. */
    public HostId {
      check(value);
    }

    /** Returns the value. */
    @Override
    public String toString() {
      return value;
    }
  }

  /**
   * The name of one boot of a host.
   *
   * @param value at most 64 of the characters {@code A-Z a-z 0-9 . _ -}; empty if not known
   */
  public record BootId(String value) {

    /** Checks the characters. */
    public BootId {
      check(value);
    }

    /** Returns the value. */
    @Override
    public String toString() {
      return value;
    }
  }

  /** Checks that all parts are set. */
  public HostIdentity {
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(boot, "boot");
  }

  /**
   * Returns the identity of this process's host. The host is named by a hash of its machine id,
   * because the id itself is confidential. Unreadable parts are left unknown.
   */
  public static HostIdentity current() {
    String machine = line(MACHINE);
    return new HostIdentity(
        new HostId(machine.isEmpty() ? "" : hash(machine)),
        new BootId(line(BOOT).replaceAll("[^A-Za-z0-9-]", "")),
        namespace());
  }

  /** Whether both are known and of different hosts. */
  public boolean isOtherHostThan(HostIdentity other) {
    return !host.value().isEmpty()
        && !other.host.value().isEmpty()
        && !host.value().equals(other.host.value());
  }

  private static void check(String value) {
    if (!WORD.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "The name of a host or boot has at most 64 of the characters A-Z a-z 0-9 . _ -. Use a"
              + " hash of it.");
    }
  }

  private static String line(Path file) {
    try {
      return new String(new RealDisk().read(file, 64), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static long namespace() {
    try {
      return (Long) Files.getAttribute(NAMESPACE, "unix:ino");
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  private static String hash(String machine) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(("csi4j:" + machine).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
