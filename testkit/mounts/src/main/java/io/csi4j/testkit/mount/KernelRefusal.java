package io.csi4j.testkit.mount;

import io.csi4j.mount.model.Errno;

/** Thrown when the in-memory kernel answers a call with an error. */
final class KernelRefusal extends RuntimeException {

  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EACCES = 13;
  static final int ENOTBLK = 15;
  static final int EBUSY = 16;
  static final int EEXIST = 17;
  static final int EXDEV = 18;
  static final int ENODEV = 19;
  static final int ENOTDIR = 20;
  static final int EISDIR = 21;
  static final int EINVAL = 22;
  static final int ENOSPC = 28;
  static final int EROFS = 30;
  static final int ENAMETOOLONG = 36;
  static final int ENOTEMPTY = 39;
  static final int ELOOP = 40;
  static final int ENOTCONN = 107;
  static final int ETIMEDOUT = 110;

  private static final long serialVersionUID = 1L;

  private final int number;

  KernelRefusal(int number) {
    super(new Errno(number).name(), null, false, false);
    this.number = number;
  }

  int number() {
    return number;
  }

  Errno errno() {
    return new Errno(number);
  }
}
