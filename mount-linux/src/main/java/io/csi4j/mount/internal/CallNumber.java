package io.csi4j.mount.internal;

/**
 * The numbers of the system calls. Newer calls have the same number on all architectures. Older
 * calls have one number on x86-64 and another on all later architectures.
 */
enum CallNumber {
  READ(0, 63),
  WRITE(1, 64),
  CLOSE(3, 57),
  MOUNT(165, 40),
  UMOUNT2(166, 39),
  GETDENTS64(217, 61),
  OPENAT(257, 56),
  MKDIRAT(258, 34),
  FCHOWNAT(260, 54),
  UNLINKAT(263, 35),
  READLINKAT(267, 78),
  FCHMODAT(268, 53),
  PPOLL(271, 73),
  EVENTFD2(290, 19),
  FANOTIFY_INIT(300, 262),
  FANOTIFY_MARK(301, 263),
  STATX(332, 291),
  OPEN_TREE(428, 428),
  MOVE_MOUNT(429, 429),
  OPENAT2(437, 437),
  MOUNT_SETATTR(442, 442),
  STATMOUNT(457, 457),
  LISTMOUNT(458, 458);

  private final int onX86;
  private final int elsewhere;

  CallNumber(int onX86, int elsewhere) {
    this.onX86 = onX86;
    this.elsewhere = elsewhere;
  }

  /**
   * Returns whether an architecture has the numbers of x86-64.
   *
   * @param architecture its name, as the JVM has it
   * @throws UnsupportedOperationException if its numbers are not known
   */
  static boolean isX86(String architecture) {
    return switch (architecture) {
      case "amd64" -> true;
      case "aarch64", "riscv64", "loongarch64" -> false;
      default ->
          throw new UnsupportedOperationException(
              "the system call numbers of " + architecture + " are unknown");
    };
  }

  int number(boolean isX86) {
    return isX86 ? onX86 : elsewhere;
  }
}
