package io.csi4j.mount.real;

import static org.junit.jupiter.api.Assumptions.abort;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A block device made of a file in the scratch directory. */
public final class LoopDevice implements AutoCloseable {

  private static final long SIZE = 16L << 20;

  private final Syscalls calls = RunningKernel.kernel().calls();
  private final String path;

  private LoopDevice(String path) {
    this.path = path;
  }

  /**
   * One with an empty ext4 on it. Where there cannot be one, the test is aborted saying so, or
   * fails if it is required.
   */
  public static LoopDevice ext4(Scratch scratch) {
    return make(scratch, true);
  }

  /** One with zeros on it. */
  static LoopDevice blank(Scratch scratch) {
    return make(scratch, false);
  }

  private static LoopDevice make(Scratch scratch, boolean formatted) {
    try {
      Path file = scratch.file("disk");
      try (var disk = new java.io.RandomAccessFile(file.toFile(), "rw")) {
        disk.setLength(SIZE);
      }
      if (formatted) {
        run("mkfs.ext4", "-q", "-F", file.toString());
      }
      return new LoopDevice(run("losetup", "--find", "--show", file.toString()));
    } catch (IOException e) {
      if ("1".equals(System.getenv("MOUNT_TEST_REQUIRED"))) {
        throw new AssertionError("no loop device: " + e.getMessage(), e);
      }
      return abort("no loop device here: " + e.getMessage());
    }
  }

  /** The device file. */
  public String path() {
    return path;
  }

  /** Mounts it, raw. */
  public MountPath mount(MountPath target) {
    int mounted = calls.mount(Abi.path(path), Abi.path(target), Abi.path("ext4"), 0, null);
    if (mounted < 0) {
      throw new AssertionError("mount " + path + ": " + new io.csi4j.mount.model.Errno(-mounted));
    }
    return target;
  }

  /** Opens it for one user alone and closes it again: 0, or the error with a minus sign. */
  int openAlone() {
    int opened =
        calls.openat(Abi.AT_FDCWD, Abi.path(path), Abi.O_RDONLY | Abi.O_EXCL | Abi.O_CLOEXEC, 0);
    return opened < 0 ? opened : calls.close(opened);
  }

  @Override
  public void close() {
    try {
      run("losetup", "--detach", path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command[0] + " said: " + said);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return said;
  }
}
