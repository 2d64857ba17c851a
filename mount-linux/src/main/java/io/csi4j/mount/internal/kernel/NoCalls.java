package io.csi4j.mount.internal.kernel;

import org.jspecify.annotations.Nullable;

/** A kernel that answers every system call with {@code ENOSYS}: what is left without a binding. */
public final class NoCalls implements Syscalls {

  private static final int ABSENT = -Abi.ENOSYS;

  @Override
  public int statx(int directory, byte[] path, int flags, int mask, byte[] out) {
    return ABSENT;
  }

  @Override
  public int openat(int directory, byte[] path, int flags, int mode) {
    return ABSENT;
  }

  @Override
  public int openat2(int directory, byte[] path, long flags, long mode, long resolve) {
    return ABSENT;
  }

  @Override
  public int close(int descriptor) {
    return ABSENT;
  }

  @Override
  public int mkdirat(int directory, byte[] path, int mode) {
    return ABSENT;
  }

  @Override
  public int unlinkat(int directory, byte[] path, int flags) {
    return ABSENT;
  }

  @Override
  public int readlinkat(int directory, byte[] path, byte[] out) {
    return ABSENT;
  }

  @Override
  public int mount(
      byte @Nullable [] source,
      byte[] target,
      byte @Nullable [] type,
      long flags,
      byte @Nullable [] data) {
    return ABSENT;
  }

  @Override
  public int umount2(byte[] target, int flags) {
    return ABSENT;
  }

  @Override
  public int openTree(int directory, byte[] path, int flags) {
    return ABSENT;
  }

  @Override
  public int moveMount(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    return ABSENT;
  }

  @Override
  public int mountSetattr(int directory, byte[] path, int flags, byte[] attr) {
    return ABSENT;
  }

  @Override
  public int statmount(byte[] request, byte[] out) {
    return ABSENT;
  }

  @Override
  public int listmount(byte[] request, long[] ids) {
    return ABSENT;
  }

  @Override
  public int fanotifyInit(int flags, int eventFlags) {
    return ABSENT;
  }

  @Override
  public int fanotifyMark(int group, int flags, long mask, int directory, byte @Nullable [] path) {
    return ABSENT;
  }

  @Override
  public int eventfd(int initial, int flags) {
    return ABSENT;
  }

  @Override
  public int poll(byte[] descriptors, int count, int timeoutMillis) {
    return ABSENT;
  }

  @Override
  public int read(int descriptor, byte[] out) {
    return ABSENT;
  }

  @Override
  public int write(int descriptor, byte[] data) {
    return ABSENT;
  }
}
