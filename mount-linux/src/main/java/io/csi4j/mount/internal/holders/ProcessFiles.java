package io.csi4j.mount.internal.holders;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The files of one process in {@code /proc}. Links are read and never followed, and of its memory
 * nothing is asked, so that neither a hung filesystem nor a hung process is waited for.
 */
final class ProcessFiles {

  private final Syscalls calls;
  private final String process;
  private final String directory;

  /**
   * The files of a process.
   *
   * @param process its number, or {@code thread-self}
   */
  ProcessFiles(Syscalls calls, String process) {
    this.calls = calls;
    this.process = process;
    this.directory = "/proc/" + process;
  }

  /** The processes that there are. */
  static List<Long> all() {
    return ProcFiles.list("/proc").stream()
        .filter(name -> name.chars().allMatch(c -> c >= '0' && c <= '9'))
        .map(Long::parseLong)
        .sorted()
        .toList();
  }

  /** The mount namespace, such as {@code mnt:[4026531841]}; nothing if it may not be seen. */
  Optional<String> namespace() {
    return link("/ns/mnt").map(bytes -> new String(bytes, StandardCharsets.US_ASCII));
  }

  /** Its name, as it chose it. */
  KernelText command() {
    try {
      byte[] line = ProcFiles.read(directory + "/comm");
      boolean isEnded = line.length > 0 && line[line.length - 1] == '\n';
      return KernelText.ofBytes(isEnded ? Arrays.copyOf(line, line.length - 1) : line);
    } catch (IOException e) {
      return KernelText.of("");
    }
  }

  /** The descriptors that it has open. */
  List<String> descriptors() {
    return ProcFiles.list(directory + "/fd");
  }

  /** The number, in the text tables, of the mount that a descriptor is in. */
  OptionalInt mountOf(String descriptor) {
    try {
      return OptionalInt.of(ProcFiles.mountId(process, descriptor));
    } catch (IOException e) {
      return OptionalInt.empty();
    }
  }

  /**
   * Where a link such as {@code /cwd} leads to, if that is a path that can be reached from here.
   */
  Optional<MountPath> path(String name) {
    try {
      return link(name)
          .filter(bytes -> bytes.length > 0 && bytes[0] == '/')
          .map(MountPath::ofBytes);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The table of mounts that it sees. */
  byte[] mounts() throws IOException {
    return ProcFiles.read(directory + "/mountinfo");
  }

  private Optional<byte[]> link(String name) {
    byte[] out = new byte[4096];
    int length = calls.readlinkat(Abi.AT_FDCWD, Abi.path(directory + name), out);
    return length < 0 ? Optional.empty() : Optional.of(Arrays.copyOf(out, length));
  }
}
