package io.csi4j.mount.internal.kernel;

import io.csi4j.mount.model.MountPath;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's system calls that this module makes.
 *
 * <p>Each returns the kernel's result, or the negative error number; none throws. A call that an
 * implementation lacks returns {@code ENOSYS}, as a kernel without it does. Paths and strings end
 * in a NUL ({@link Abi#path}); structures are byte arrays in the machine's order ({@link Struct}).
 * {@link Abi} has the constants.
 */
public interface Syscalls {

  /** Returns the name of the binding, and why it is not a better one; for people. */
  default String binding() {
    return "nothing";
  }

  /**
   * Examines a file.
   *
   * @param out receives as much of the {@code struct statx} as fits
   */
  default int statx(int directory, byte[] path, int flags, int mask, byte[] out) {
    return -Abi.ENOSYS;
  }

  /** Examines a path from the root directory, for the mount only. */
  default int statx(MountPath path, int flags, int mask, MountLook out) {
    byte[] all = new byte[Abi.STATX_AT_MNT_ID + Long.BYTES];
    int result = statx(Abi.AT_FDCWD, Abi.path(path), flags, mask, all);
    if (result == 0) {
      out.set(
          Struct.u64(all, Abi.STATX_AT_ATTRIBUTES),
          Struct.u64(all, Abi.STATX_AT_ATTRIBUTES_MASK),
          Struct.u64(all, Abi.STATX_AT_MNT_ID));
    }
    return result;
  }

  default int openat(int directory, byte[] path, int flags, int mode) {
    return -Abi.ENOSYS;
  }

  default int openat2(int directory, byte[] path, long flags, long mode, long resolve) {
    return -Abi.ENOSYS;
  }

  default int close(int descriptor) {
    return -Abi.ENOSYS;
  }

  default int mkdirat(int directory, byte[] path, int mode) {
    return -Abi.ENOSYS;
  }

  default int unlinkat(int directory, byte[] path, int flags) {
    return -Abi.ENOSYS;
  }

  /** Returns the number of bytes read into {@code out}; there is no NUL at their end. */
  default int readlinkat(int directory, byte[] path, byte[] out) {
    return -Abi.ENOSYS;
  }

  /**
   * Changes the user and the group of a file; -1 keeps one of them.
   *
   * @param flags whether a link is followed, and whether an empty path means the directory itself
   */
  default int fchownat(int directory, byte[] path, int user, int group, int flags) {
    return -Abi.ENOSYS;
  }

  /** Sets the permissions of a file, following links. */
  default int fchmodat(int directory, byte[] path, int mode) {
    return -Abi.ENOSYS;
  }

  /**
   * Reads the next names in a directory. Returns the number of bytes of {@code struct
   * linux_dirent64} written to {@code out}, 0 at the end.
   */
  default int getdents64(int directory, byte[] out) {
    return -Abi.ENOSYS;
  }

  default int mount(
      byte @Nullable [] source,
      byte[] target,
      byte @Nullable [] type,
      long flags,
      byte @Nullable [] data) {
    return -Abi.ENOSYS;
  }

  default int umount2(byte[] target, int flags) {
    return -Abi.ENOSYS;
  }

  default int openTree(int directory, byte[] path, int flags) {
    return -Abi.ENOSYS;
  }

  default int moveMount(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    return -Abi.ENOSYS;
  }

  /**
   * Sets flags and propagation.
   *
   * @param attr a {@code struct mount_attr}
   */
  default int mountSetattr(int directory, byte[] path, int flags, byte[] attr) {
    return -Abi.ENOSYS;
  }

  /**
   * Reads one mount.
   *
   * @param request a {@code struct mnt_id_req}
   * @param out receives the {@code struct statmount}
   */
  default int statmount(byte[] request, byte[] out) {
    return -Abi.ENOSYS;
  }

  /**
   * Lists mounts. Returns the number of ids written to {@code ids}.
   *
   * @param request a {@code struct mnt_id_req}
   */
  default int listmount(byte[] request, long[] ids) {
    return -Abi.ENOSYS;
  }

  default int fanotifyInit(int flags, int eventFlags) {
    return -Abi.ENOSYS;
  }

  default int fanotifyMark(int group, int flags, long mask, int directory, byte @Nullable [] path) {
    return -Abi.ENOSYS;
  }

  default int eventfd(int initial, int flags) {
    return -Abi.ENOSYS;
  }

  /**
   * Waits for descriptors.
   *
   * @param descriptors an array of {@code struct pollfd}
   */
  default int poll(byte[] descriptors, int count, int timeoutMillis) {
    return -Abi.ENOSYS;
  }

  default int read(int descriptor, byte[] out) {
    return -Abi.ENOSYS;
  }

  default int write(int descriptor, byte[] data) {
    return -Abi.ENOSYS;
  }
}
