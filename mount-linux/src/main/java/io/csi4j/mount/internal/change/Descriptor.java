package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;

/** An open descriptor. Closing it never waits, because it was opened with {@code O_PATH}. */
final class Descriptor implements AutoCloseable {

  private final Syscalls calls;
  private final int number;

  Descriptor(Syscalls calls, int number) {
    this.calls = calls;
    this.number = number;
  }

  int number() {
    return number;
  }

  /** Returns a path that leads to exactly the open file, with a NUL at its end. */
  byte[] link() {
    return Abi.path("/proc/self/fd/" + number);
  }

  /** Returns whether it is a directory, without calling the filesystem. */
  boolean isDirectory() {
    int again = calls.openat(Abi.AT_FDCWD, link(), Abi.O_PATH | Abi.O_CLOEXEC | Abi.O_DIRECTORY, 0);
    if (again >= 0) {
      calls.close(again);
    }
    return again != -Abi.ENOTDIR;
  }

  @Override
  public void close() {
    calls.close(number);
  }
}
