package io.csi4j.volume.state;

import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Asks the kernel where this process runs. */
final class ThisHost {

  private static final Path MACHINE = Path.of("/etc/machine-id");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path NAMESPACE = Path.of("/proc/self/ns/mnt");

  private ThisHost() {}

  /** Where this process runs; what cannot be read is empty or 0. */
  static HostIdentity identity() {
    String machine = line(MACHINE);
    return new HostIdentity(
        new HostId(machine.isEmpty() ? "" : hash(machine)),
        new BootId(line(BOOT).replaceAll("[^A-Za-z0-9-]", "")),
        namespace());
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
