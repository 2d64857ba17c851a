package io.csi4j.volume.powercut;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The reasons why the rig cannot run on a machine. */
final class Obstacle {

  private Obstacle() {}

  /** What stands in the way, as a sentence; nothing if the rig can run. */
  static Optional<String> to(FilesystemKind kind) throws IOException {
    if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
      return Optional.of("only root can make block devices.");
    }
    if (namespace(ProcessHandle.current()).equals(namespace(parent()))) {
      return Optional.of("the rig wants a mount namespace of its own. Use testing/powercut.");
    }
    for (String device : List.of("/dev/fuse", "/dev/loop-control")) {
      if (!Files.isReadable(Path.of(device))) {
        return Optional.of("there is no " + device + ", which logs the writes of the disk.");
      }
    }
    for (String program : List.of(kind.make().get(0), "losetup", "mount", "sync", "truncate")) {
      if (!isOnPath(program)) {
        return Optional.of(
            "there is no "
                + program
                + ". Debian has it in e2fsprogs, xfsprogs, btrfs-progs, mount or coreutils.");
      }
    }
    if (!Files.readString(Path.of("/proc/filesystems")).contains("\t" + kind + "\n")) {
      return Optional.of("the kernel does not know " + kind + " (modprobe " + kind + ").");
    }
    return Optional.empty();
  }

  private static ProcessHandle parent() {
    return ProcessHandle.current().parent().orElseThrow();
  }

  private static Path namespace(ProcessHandle process) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "ns", "mnt"));
  }

  private static boolean isOnPath(String program) {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
