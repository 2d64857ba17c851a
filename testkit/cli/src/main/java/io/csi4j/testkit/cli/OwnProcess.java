package io.csi4j.testkit.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The privileges of this process, as listed in the kernel's status file. */
final class OwnProcess {

  /** Bit of CAP_SYS_ADMIN in the capabilities of a process. */
  private static final long MAY_MOUNT = 1L << 21;

  private OwnProcess() {}

  /** Returns whether the process acts as root. */
  static boolean isRoot() {
    // The line contains the ids of the real, the effective, the saved and the filesystem user.
    return status("Uid:").filter(ids -> ids.split("\\s+", -1)[1].equals("0")).isPresent();
  }

  /** Returns whether the process may mount, at least in its own mount namespace. */
  static boolean mayMount() {
    return status("CapEff:")
        .filter(bits -> (Long.parseUnsignedLong(bits, 16) & MAY_MOUNT) != 0)
        .isPresent();
  }

  private static Optional<String> status(String name) {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(name.length()).strip())
          .findFirst();
    } catch (IOException noProc) {
      return Optional.empty();
    }
  }
}
