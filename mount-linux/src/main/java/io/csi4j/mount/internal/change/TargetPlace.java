package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One name in one directory that is held open, so that no directory on the way to it can be
 * exchanged any more. All work on a target goes through its place.
 */
final class TargetPlace implements AutoCloseable {

  private final Kernel kernel;
  private final MountPath path;
  private final int directory;

  TargetPlace(Kernel kernel, MountPath path, int directory) {
    this.kernel = kernel;
    this.path = path;
    this.directory = directory;
  }

  /** Returns the path by which it was reached. */
  MountPath path() {
    return path;
  }

  /** Returns the descriptor of the directory ({@code O_PATH}). */
  int directory() {
    return directory;
  }

  /** Returns the name in the directory, with a NUL at its end. */
  byte[] name() {
    byte[] name = path.name();
    return Arrays.copyOf(name, name.length + 1);
  }

  /**
   * Returns a path to the name through the descriptor, with a NUL at its end: umount2 takes no
   * descriptor, a complete path could be exchanged, and an open mount is busy.
   */
  byte[] throughDescriptor() {
    byte[] prefix = ("/proc/self/fd/" + directory + "/").getBytes(StandardCharsets.US_ASCII);
    byte[] name = path.name();
    byte[] joined = Arrays.copyOf(prefix, prefix.length + name.length + 1);
    System.arraycopy(name, 0, joined, prefix.length, name.length);
    return joined;
  }

  /**
   * Opens the file on top at the name: the root of a mount, if one is there. The caller closes it.
   *
   * @throws MountException if it is missing, or a symbolic link
   */
  Descriptor open(String doing) {
    int opened = tryOpen();
    if (opened == -Abi.ELOOP) {
      throw Walk.symlink(doing, path.toString(), path);
    }
    if (opened < 0) {
      throw ErrnoMeaning.of(doing, "open", opened, path).build();
    }
    return new Descriptor(kernel.calls(), opened);
  }

  /** Does the same as {@link #open}, and returns an error as a negative number. */
  int tryOpen() {
    Syscalls calls = kernel.calls();
    int opened = calls.openat(directory, name(), Abi.O_PATH | Abi.O_NOFOLLOW | Abi.O_CLOEXEC, 0);
    if (opened >= 0 && calls.readlinkat(opened, Abi.emptyPath(), new byte[1]) >= 0) {
      calls.close(opened);
      return -Abi.ELOOP;
    }
    return opened;
  }

  /** Creates an empty directory or file at the name; returns an error as a negative number. */
  int make(boolean isDirectory) {
    Syscalls calls = kernel.calls();
    if (isDirectory) {
      return calls.mkdirat(directory, name(), 0755);
    }
    int flags = Abi.O_CREAT | Abi.O_EXCL | Abi.O_NOFOLLOW | Abi.O_CLOEXEC;
    int made = calls.openat(directory, name(), flags, 0644);
    return made < 0 ? made : calls.close(made);
  }

  /** Removes the one empty directory or file at the name; returns an error as a negative number. */
  int remove(boolean isDirectory) {
    return kernel.calls().unlinkat(directory, name(), isDirectory ? Abi.AT_REMOVEDIR : 0);
  }

  @Override
  public void close() {
    kernel.calls().close(directory);
  }
}
