package io.csi4j.mount.real;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.MountPath;

/** Calls that the tests need and the module does not make. */
public final class LibcForTests {

  public static final int CLONE_FS = 0x200;
  public static final int CLONE_NEWNS = 0x20000;

  static {
    Native.register(LibcForTests.class, NativeLibrary.getProcess());
  }

  private LibcForTests() {}

  public static native int unshare(int flags);

  public static native int prctl(int option, long a, long b, long c, long d);

  public static native int setns(int descriptor, int type);

  public static native int mknod(byte[] path, int mode, long device);

  public static native int chdir(byte[] path);

  public static native int chroot(byte[] path);

  public static native int capset(byte[] header, byte[] sets);

  /** Takes every capability from the calling thread, and from it alone, for ever. */
  public static void dropCapabilities() {
    byte[] header = new byte[8];
    Struct.u32(header, 0, 0x20080522);
    if (capset(header, new byte[24]) != 0) {
      throw new AssertionError("capset: errno " + Native.getLastError());
    }
  }

  public static native int gettid();

  private static native int getpid();

  private static native long syscall(long number, long a, long b, long c);

  /** Sends a signal to one thread of this process. */
  public static long signal(int thread, int signal) {
    int tgkill = System.getProperty("os.arch").equals("amd64") ? 234 : 131;
    return syscall(tgkill, getpid(), thread, signal);
  }

  /** Gives the calling thread, and it alone, another root directory. */
  public static void changeRoot(MountPath root) {
    if (unshare(CLONE_FS) != 0 || chroot(Abi.path(root)) != 0 || chdir(Abi.path("/")) != 0) {
      throw new AssertionError("chroot: errno " + Native.getLastError());
    }
  }

  /** Moves the calling thread, and it alone, into a mount namespace of its own. */
  public static void unshareMounts() {
    if (unshare(CLONE_FS | CLONE_NEWNS) != 0) {
      throw new AssertionError("unshare: errno " + Native.getLastError());
    }
  }

  static Memory memory(byte[] bytes) {
    Memory memory = new Memory(bytes.length);
    memory.write(0, bytes, 0, bytes.length);
    return memory;
  }
}
