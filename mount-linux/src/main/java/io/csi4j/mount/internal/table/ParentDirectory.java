package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import java.util.Arrays;
import java.util.function.Function;

/** The directory that a path is in, opened as a place only; what is at the path is not touched. */
final class ParentDirectory {

  private final Syscalls calls;
  private final MountPath path;
  private final int descriptor;
  private final byte[] name;

  private ParentDirectory(Syscalls calls, MountPath path, int descriptor) {
    this.calls = calls;
    this.path = path;
    this.descriptor = descriptor;
    byte[] bare = path.name();
    this.name = Arrays.copyOf(bare, bare.length + 1);
  }

  /** Returns what the work makes of the directory, which is closed after it. */
  static Seen with(Syscalls calls, MountPath path, Function<ParentDirectory, Seen> work) {
    int flags = Abi.O_PATH | Abi.O_DIRECTORY | Abi.O_CLOEXEC;
    int descriptor = calls.openat(Abi.AT_FDCWD, Abi.path(path.parent()), flags, 0);
    if (descriptor < 0) {
      return LookErrors.seen(path, "openat", descriptor);
    }
    try {
      return work.apply(new ParentDirectory(calls, path, descriptor));
    } finally {
      calls.close(descriptor);
    }
  }

  /** Its descriptor. */
  int descriptor() {
    return descriptor;
  }

  /** The last part of the path, with a NUL at its end. */
  byte[] name() {
    return name;
  }

  /** The path without symbolic links, as the kernel's table has it. */
  MountPath place() {
    if (path.isRoot()) {
      return path;
    }
    byte[] parent = new byte[4096];
    byte[] link = Abi.path("/proc/thread-self/fd/" + descriptor);
    int length = calls.readlinkat(Abi.AT_FDCWD, link, parent);
    int nameLength = name.length - 1;
    if (length <= 0 || parent[0] != '/' || length + 1 + nameLength >= parent.length) {
      return path;
    }
    byte[] joined = Arrays.copyOf(parent, length + 1 + nameLength);
    joined[length] = '/';
    System.arraycopy(name, 0, joined, length + 1, nameLength);
    return MountPath.ofBytes(joined);
  }
}
