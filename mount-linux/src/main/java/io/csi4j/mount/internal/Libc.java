package io.csi4j.mount.internal;

import java.util.function.Consumer;

/** The function of the C library that makes system calls, as one binding has it. */
interface Libc {

  /** The name of the binding, for people. */
  String binding();

  /** Memory of {@link CallMemory#SIZE} for any number of calls, which nobody has to free. */
  CallMemory scratch(Consumer<? super CallMemory> owner);

  /** Memory for one call, freed when that is over. */
  CallMemory large(long size);

  /**
   * Makes a system call, once. Arguments are numbers and addresses; those that a call does not have
   * are 0.
   *
   * @param memory the memory of this call, made by this binding
   * @return what the kernel returned, or the error's number with a minus sign, whatever the JVM
   *     does on the thread meanwhile
   */
  long syscall(CallMemory memory, long number, long a, long b, long c, long d, long e);

  /** {@link #syscall} for the most frequent call. */
  default long statx(
      CallMemory memory, long number, int directory, long path, int flags, int mask, long out) {
    return syscall(memory, number, directory, path, flags, mask, out);
  }
}
