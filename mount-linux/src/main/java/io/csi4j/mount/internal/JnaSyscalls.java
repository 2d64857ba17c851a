package io.csi4j.mount.internal;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.MountLook;
import io.csi4j.mount.internal.kernel.Spares;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import org.jspecify.annotations.Nullable;

/**
 * The system calls through JNA, mapped directly.
 *
 * <p>Signatures have numbers and arrays of them only, and for the most frequent calls addresses;
 * errors are read with {@code getLastError} right after the call, which costs a thirteenth of JNA's
 * exceptions.
 */
public final class JnaSyscalls implements Syscalls {

  private static final long OPEN_TREE = 428;
  private static final long MOVE_MOUNT = 429;
  private static final long OPENAT2 = 437;
  private static final long MOUNT_SETATTR = 442;
  private static final long STATMOUNT = 457;
  private static final long LISTMOUNT = 458;

  private static final long SIZE_OF_OPEN_HOW = 24;
  private static final long SIZE_OF_MOUNT_ATTR = 32;

  /** Where in its scratch memory a call writes; what it reads is before. */
  private static final int AT_OUT = Abi.PATH_MAX;

  private final Spares<CallMemory> spares = new Spares<>(CallMemory::new);
  private final long statx;
  private final boolean hasNamedStatx;

  /** The binding itself; using it loads the native library, or throws what the JVM throws. */
  private static final class Libc {
    static {
      Native.register(Libc.class, NativeLibrary.getProcess());
    }

    static native long syscall(long number, long a, long b, long c, long d, long e);

    static native long syscall(long number, long a, byte[] b, byte[] c, long d);

    static native long syscall(long number, long a, byte[] b, long c);

    static native long syscall(long number, long a, byte[] b, long c, byte[] d, long e);

    static native long syscall(long number, byte[] a, byte[] b, long c, long d);

    static native long syscall(long number, long a, long b, long c, long d);

    static native long syscall(long number, byte[] a, long[] b, long c, long d);

    static native int openat(int directory, byte[] path, int flags, int mode);

    static native int close(int descriptor);

    static native int mkdirat(int directory, byte[] path, int mode);

    static native int unlinkat(int directory, byte[] path, int flags);

    static native long readlinkat(int directory, byte[] path, byte[] out, long size);

    static native int mount(
        byte @Nullable [] source,
        byte[] target,
        byte @Nullable [] type,
        long flags,
        byte @Nullable [] data);

    static native int umount2(byte[] target, int flags);

    static native int fanotify_init(int flags, int eventFlags);

    static native int fanotify_mark(
        int group, int flags, long mask, int directory, byte @Nullable [] path);

    static native int eventfd(int initial, int flags);

    static native int poll(byte[] descriptors, long count, int timeoutMillis);

    static native long read(int descriptor, byte[] out, long size);

    static native long write(int descriptor, byte[] data, long size);
  }

  /**
   * The most frequent call by the name that the C library has for it, which costs a number less.
   * Where the kernel, or a filter on the thread, says that there is no such call, that library
   * answers by itself: it refuses flags about waiting, or leaves out in which mount the file is.
   */
  private static final class NamedStatx {
    static {
      Native.register(NamedStatx.class, NativeLibrary.getProcess());
    }

    static native int statx(int directory, long path, int flags, int mask, long out);
  }

  /**
   * Loads the native library; throws what the JVM throws if it cannot be.
   *
   * @param architecture the name of the processor's architecture, as the JVM has it
   * @throws UnsupportedOperationException if its numbers of system calls are not known here
   */
  public JnaSyscalls(String architecture) {
    statx = statx(architecture);
    Libc.close(-1);
    hasNamedStatx = knowsStatx() && isStatxNamed();
  }

  /** Whether the kernel knows the call, and says in which mount a path is. */
  private boolean knowsStatx() {
    byte[] out = new byte[Abi.STATX_SIZE];
    return statx(Abi.AT_FDCWD, Abi.path("/"), Abi.AT_STATX_DONT_SYNC, Abi.STATX_MNT_ID, out) == 0
        && saysMount(Struct.u32(out, Abi.STATX_AT_MASK));
  }

  private static boolean isStatxNamed() {
    try {
      NamedStatx.statx(-1, 0, 0, 0, 0);
      return true;
    } catch (LinkageError absent) {
      return false;
    }
  }

  /** Any kernel says it that ever did, asked or not; an answer of the C library's own does not. */
  private static boolean saysMount(int mask) {
    return (mask & (Abi.STATX_MNT_ID | Abi.STATX_MNT_ID_UNIQUE)) != 0;
  }

  /** The one number that differs; the newer calls have the same on all these. */
  public static long statx(String architecture) {
    return switch (architecture) {
      case "amd64" -> 332;
      case "aarch64", "riscv64", "loongarch64" -> 291;
      default ->
          throw new UnsupportedOperationException(
              "the numbers of system calls on " + architecture + " are not known");
    };
  }

  @Override
  public int statx(int directory, byte[] path, int flags, int mask, byte[] out) {
    if (path.length > Abi.PATH_MAX) {
      return -Abi.ENAMETOOLONG;
    }
    CallMemory scratch = spares.take();
    try {
      scratch.put(0, path);
      int result = statx(directory, flags, mask, scratch);
      if (result == 0) {
        scratch.get(AT_OUT, out, Math.min(out.length, Abi.STATX_SIZE));
      }
      return result;
    } finally {
      spares.giveBack(scratch);
    }
  }

  @Override
  public int statx(MountPath path, int flags, int mask, MountLook out) {
    CallMemory scratch = spares.take();
    try {
      scratch.put(0, path);
      int result = statx(Abi.AT_FDCWD, flags, mask, scratch);
      if (result == 0) {
        out.set(
            scratch.u64(AT_OUT + Abi.STATX_AT_ATTRIBUTES),
            scratch.u64(AT_OUT + Abi.STATX_AT_ATTRIBUTES_MASK),
            scratch.u64(AT_OUT + Abi.STATX_AT_MNT_ID));
      }
      return result;
    } finally {
      spares.giveBack(scratch);
    }
  }

  private int statx(int directory, int flags, int mask, CallMemory scratch) {
    if (hasNamedStatx) {
      int result =
          result(NamedStatx.statx(directory, scratch.at(0), flags, mask, scratch.at(AT_OUT)));
      boolean isOfKernel =
          result == 0 ? saysMount(scratch.u32(AT_OUT + Abi.STATX_AT_MASK)) : result != -Abi.EINVAL;
      if (isOfKernel) {
        return result;
      }
    }
    return result(Libc.syscall(statx, directory, scratch.at(0), flags, mask, scratch.at(AT_OUT)));
  }

  @Override
  public int openat(int directory, byte[] path, int flags, int mode) {
    return result(Libc.openat(directory, path, flags, mode));
  }

  @Override
  public int openat2(int directory, byte[] path, long flags, long mode, long resolve) {
    byte[] how = new byte[(int) SIZE_OF_OPEN_HOW];
    Struct.u64(how, 0, flags);
    Struct.u64(how, 8, mode);
    Struct.u64(how, 16, resolve);
    return result(Libc.syscall(OPENAT2, directory, path, how, how.length));
  }

  @Override
  public int close(int descriptor) {
    return result(Libc.close(descriptor));
  }

  @Override
  public int mkdirat(int directory, byte[] path, int mode) {
    return result(Libc.mkdirat(directory, path, mode));
  }

  @Override
  public int unlinkat(int directory, byte[] path, int flags) {
    return result(Libc.unlinkat(directory, path, flags));
  }

  @Override
  public int readlinkat(int directory, byte[] path, byte[] out) {
    return result(Libc.readlinkat(directory, path, out, out.length));
  }

  @Override
  public int mount(
      byte @Nullable [] source,
      byte[] target,
      byte @Nullable [] type,
      long flags,
      byte @Nullable [] data) {
    return result(Libc.mount(source, target, type, flags, data));
  }

  @Override
  public int umount2(byte[] target, int flags) {
    return result(Libc.umount2(target, flags));
  }

  @Override
  public int openTree(int directory, byte[] path, int flags) {
    return result(Libc.syscall(OPEN_TREE, directory, path, flags));
  }

  @Override
  public int moveMount(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    return result(Libc.syscall(MOVE_MOUNT, fromDirectory, from, toDirectory, to, flags));
  }

  @Override
  public int mountSetattr(int directory, byte[] path, int flags, byte[] attr) {
    return result(Libc.syscall(MOUNT_SETATTR, directory, path, flags, attr, SIZE_OF_MOUNT_ATTR));
  }

  @Override
  public int statmount(byte[] request, byte[] out) {
    if (out.length > CallMemory.SIZE - AT_OUT) {
      return result(Libc.syscall(STATMOUNT, request, out, out.length, 0));
    }
    CallMemory scratch = spares.take();
    try {
      scratch.put(0, request);
      int result =
          result(Libc.syscall(STATMOUNT, scratch.at(0), scratch.at(AT_OUT), out.length, 0));
      if (result == 0) {
        // The kernel says at the beginning how much it wrote.
        scratch.get(AT_OUT, out, Math.min(scratch.u32(AT_OUT), out.length));
      }
      return result;
    } finally {
      spares.giveBack(scratch);
    }
  }

  @Override
  public int listmount(byte[] request, long[] ids) {
    return result(Libc.syscall(LISTMOUNT, request, ids, ids.length, 0));
  }

  @Override
  public int fanotifyInit(int flags, int eventFlags) {
    return result(Libc.fanotify_init(flags, eventFlags));
  }

  @Override
  public int fanotifyMark(int group, int flags, long mask, int directory, byte @Nullable [] path) {
    return result(Libc.fanotify_mark(group, flags, mask, directory, path));
  }

  @Override
  public int eventfd(int initial, int flags) {
    return result(Libc.eventfd(initial, flags));
  }

  @Override
  public int poll(byte[] descriptors, int count, int timeoutMillis) {
    return result(Libc.poll(descriptors, count, timeoutMillis));
  }

  @Override
  public int read(int descriptor, byte[] out) {
    return result(Libc.read(descriptor, out, out.length));
  }

  @Override
  public int write(int descriptor, byte[] data) {
    return result(Libc.write(descriptor, data, data.length));
  }

  private static int result(long returned) {
    return returned >= 0 ? (int) returned : -Native.getLastError();
  }
}
