package io.csi4j.mount.internal;

import java.util.function.Consumer;

/** The function of the C library that makes system calls, through one binding. */
interface Libc {

  /** Returns the name of the binding, for people. */
  String binding();

  /**
   * Returns memory of {@link CallMemory#SIZE} for any number of calls, which is not freed
   * explicitly.
   */
  CallMemory scratch(Consumer<? super CallMemory> owner);

  /** Returns memory for one call, freed after the call. */
  CallMemory large(long size);

  /**
   * Makes a system call, once. Arguments are numbers and addresses; unused ones are 0.
   *
   * @param memory the memory of this call, made by this binding
   * @return the kernel's result, or the negative error number, regardless of other work of the JVM
   *     on the thread
   */
  long syscall(CallMemory memory, long number, long a, long b, long c, long d, long e);

  /** Makes the most frequent call, as {@link #syscall} does. */
  default long statx(
      CallMemory memory, long number, int directory, long path, int flags, int mask, long out) {
    return syscall(memory, number, directory, path, flags, mask, out);
  }
}
