package io.csi4j.mount.internal.kernel;

import io.csi4j.mount.model.MountPath;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's system calls that this module makes.
 *
 * <p>Each returns what the kernel returned, or the error's number with a minus sign; none throws.
 * Paths and strings end in a NUL ({@link Abi#path}); structures are byte arrays in the machine's
 * order ({@link Struct}). {@link Abi} has the constants.
 */
public interface Syscalls {

  /**
   * Looks at a file.
   *
   * @param out takes as much of the {@code struct statx} as fits
   */
  int statx(int directory, byte[] path, int flags, int mask, byte[] out);

  /** Looks at a path from the root directory on, for the mount only. */
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

  int openat(int directory, byte[] path, int flags, int mode);

  int openat2(int directory, byte[] path, long flags, long mode, long resolve);

  int close(int descriptor);

  int mkdirat(int directory, byte[] path, int mode);

  int unlinkat(int directory, byte[] path, int flags);

  /** The number of bytes read into {@code out}; there is no NUL at their end. */
  int readlinkat(int directory, byte[] path, byte[] out);

  int mount(
      byte @Nullable [] source,
      byte[] target,
      byte @Nullable [] type,
      long flags,
      byte @Nullable [] data);

  int umount2(byte[] target, int flags);

  int openTree(int directory, byte[] path, int flags);

  int moveMount(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags);

  /**
   * Sets flags and propagation.
   *
   * @param attr a {@code struct mount_attr}
   */
  int mountSetattr(int directory, byte[] path, int flags, byte[] attr);

  /**
   * Reads one mount.
   *
   * @param request a {@code struct mnt_id_req}
   * @param out takes the {@code struct statmount}
   */
  int statmount(byte[] request, byte[] out);

  /**
   * The number of ids written to {@code ids}.
   *
   * @param request a {@code struct mnt_id_req}
   */
  int listmount(byte[] request, long[] ids);

  int fanotifyInit(int flags, int eventFlags);

  int fanotifyMark(int group, int flags, long mask, int directory, byte @Nullable [] path);

  int eventfd(int initial, int flags);

  /**
   * Waits for descriptors.
   *
   * @param descriptors an array of {@code struct pollfd}
   */
  int poll(byte[] descriptors, int count, int timeoutMillis);

  int read(int descriptor, byte[] out);

  int write(int descriptor, byte[] data);
}
