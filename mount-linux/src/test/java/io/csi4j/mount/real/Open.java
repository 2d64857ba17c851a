package io.csi4j.mount.real;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountPath;

/** A descriptor of this process, which keeps the mount that it is in busy until it is closed. */
public final class Open implements AutoCloseable {

  private final Syscalls calls = RunningKernel.kernel().calls();
  private final int descriptor;
  private boolean closed;

  private Open(MountPath path, int flags) {
    descriptor = calls.openat(Abi.AT_FDCWD, Abi.path(path), flags | Abi.O_CLOEXEC, 0);
    if (descriptor < 0) {
      throw new AssertionError("open " + path + ": " + new Errno(-descriptor));
    }
  }

  /** Opens for reading. */
  public static Open reading(MountPath path) {
    return new Open(path, Abi.O_RDONLY);
  }

  /** Opens as a path only. */
  public static Open path(MountPath path) {
    return new Open(path, Abi.O_PATH);
  }

  /** Its number. */
  public int number() {
    return descriptor;
  }

  /** The path that leads through it. */
  public String link() {
    return "/proc/self/fd/" + descriptor;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      calls.close(descriptor);
    }
  }
}
