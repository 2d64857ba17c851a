package io.csi4j.mount.internal;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.csi4j.mount.internal.kernel.Abi;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The binding with JNA, mapped directly. Signatures have only numbers; errors are read with {@code
 * getLastError} right after the call, which costs a thirteenth of JNA's exceptions.
 */
final class JnaLibc implements Libc {

  private final String why;
  private final boolean hasNamedStatx;

  /**
   * The function itself. The constructor registers it, not the class initializer: a class whose
   * initialization failed once, because JNA got no thread, would fail forever.
   */
  private static final class Functions {
    static native long syscall(long number, long a, long b, long c, long d, long e);
  }

  /** The most frequent call by its name in the C library, which saves one argument. */
  private static final class NamedStatx {
    static native int statx(int directory, long path, int flags, int mask, long out);
  }

  /**
   * Loads the native library; throws what the JVM throws if that fails.
   *
   * @param why the reason for this binding, for people
   * @param isX86 whether the architecture has the system call numbers of x86-64
   */
  JnaLibc(String why, boolean isX86) {
    this.why = why;
    Native.register(Functions.class, NativeLibrary.getProcess());
    hasNamedStatx = knowsStatx(CallNumber.STATX.number(isX86)) && isStatxNamed();
  }

  /** Returns whether the kernel knows the call and returns the mount of a path. */
  private boolean knowsStatx(long statx) {
    try (CallMemory memory = scratch(over -> {})) {
      long root = memory.with(Abi.path("/"));
      long out = memory.room(Abi.STATX_SIZE);
      int flags = Abi.AT_STATX_DONT_SYNC;
      return syscall(memory, statx, Abi.AT_FDCWD, root, flags, Abi.STATX_MNT_ID, out) == 0
          && saysMount(memory, out);
    }
  }

  private static boolean isStatxNamed() {
    try {
      Native.register(NamedStatx.class, NativeLibrary.getProcess());
      NamedStatx.statx(-1, 0, 0, 0, 0);
      return true;
    } catch (LinkageError absent) {
      return false;
    }
  }

  /**
   * Returns whether the answer has the mount. A kernel that supports it always fills it in, even if
   * it was not requested; an emulation by the C library does not.
   */
  private static boolean saysMount(CallMemory memory, long statx) {
    int mask = memory.u32(statx + Abi.STATX_AT_MASK);
    return (mask & (Abi.STATX_MNT_ID | Abi.STATX_MNT_ID_UNIQUE)) != 0;
  }

  @Override
  public String binding() {
    return "JNA: " + why;
  }

  @Override
  public CallMemory scratch(Consumer<? super CallMemory> owner) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(CallMemory.SIZE);
    return new CallMemory(bytes, Pointer.nativeValue(Native.getDirectBufferPointer(bytes)), owner);
  }

  @Override
  public CallMemory large(long size) {
    Memory memory = new Memory(size);
    return new CallMemory(
        memory.getByteBuffer(0, size), Pointer.nativeValue(memory), over -> memory.close());
  }

  @Override
  public long syscall(CallMemory memory, long number, long a, long b, long c, long d, long e) {
    return answer(Functions.syscall(number, a, b, c, d, e));
  }

  /**
   * Calls the function by name if the kernel answers it. If the kernel, or a filter on the thread,
   * lacks the call, the C library emulates it: it rejects flags about waiting, or leaves out the
   * mount of the file.
   */
  @Override
  public long statx(
      CallMemory memory, long number, int directory, long path, int flags, int mask, long out) {
    if (hasNamedStatx) {
      long result = answer(NamedStatx.statx(directory, path, flags, mask, out));
      if (result == 0 ? saysMount(memory, out) : result != -Abi.EINVAL) {
        return result;
      }
    }
    return syscall(memory, number, directory, path, flags, mask, out);
  }

  private static long answer(long returned) {
    return returned >= 0 ? returned : -Native.getLastError();
  }
}
