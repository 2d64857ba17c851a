package io.csi4j.mount.internal;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.MountLook;
import io.csi4j.mount.internal.kernel.Spares;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import org.jspecify.annotations.Nullable;

/**
 * System calls through the C library, with either binding. Arguments are laid out in memory outside
 * the heap, which is reused.
 */
final class LibcSyscalls implements Syscalls {

  private final Libc libc;
  private final Spares<CallMemory> spares = new Spares<>(this::scratch);

  private final boolean isX86;

  /**
   * Creates the calls with a working binding.
   *
   * @param isX86 whether the architecture has the system call numbers of x86-64
   */
  LibcSyscalls(Libc libc, boolean isX86) {
    this.libc = libc;
    this.isX86 = isX86;
  }

  private CallMemory scratch() {
    return libc.scratch(spares::giveBack);
  }

  /** Returns memory for a call that reads and writes this many bytes. */
  private CallMemory memory(long size) {
    return CallMemory.fits(size) ? spares.take() : libc.large(CallMemory.sizeFor(size));
  }

  @Override
  public String binding() {
    return libc.binding();
  }

  @Override
  public int statx(int directory, byte[] path, int flags, int mask, byte[] out) {
    try (CallMemory memory = memory(path.length + Abi.STATX_SIZE)) {
      long looked = memory.with(path);
      long answer = memory.room(Abi.STATX_SIZE);
      int result = statx(memory, directory, looked, flags, mask, answer);
      if (result == 0) {
        memory.get(answer, out, Math.min(out.length, Abi.STATX_SIZE));
      }
      return result;
    }
  }

  @Override
  public int statx(MountPath path, int flags, int mask, MountLook out) {
    try (CallMemory memory = spares.take()) {
      long looked = memory.with(path);
      long answer = memory.room(Abi.STATX_SIZE);
      int result = statx(memory, Abi.AT_FDCWD, looked, flags, mask, answer);
      if (result == 0) {
        out.set(
            memory.u64(answer + Abi.STATX_AT_ATTRIBUTES),
            memory.u64(answer + Abi.STATX_AT_ATTRIBUTES_MASK),
            memory.u64(answer + Abi.STATX_AT_MNT_ID));
      }
      return result;
    }
  }

  private int statx(CallMemory memory, int directory, long path, int flags, int mask, long out) {
    return (int)
        libc.statx(memory, CallNumber.STATX.number(isX86), directory, path, flags, mask, out);
  }

  private int call(CallMemory memory, CallNumber call, long a, long b, long c) {
    return call(memory, call, a, b, c, 0, 0);
  }

  private int call(CallMemory memory, CallNumber call, long a, long b, long c, long d, long e) {
    return (int) libc.syscall(memory, call.number(isX86), a, b, c, d, e);
  }

  @Override
  public int openat(int directory, byte[] path, int flags, int mode) {
    try (CallMemory memory = memory(path.length)) {
      return call(memory, CallNumber.OPENAT, directory, memory.with(path), flags, mode, 0);
    }
  }

  @Override
  public int openat2(int directory, byte[] path, long flags, long mode, long resolve) {
    byte[] how = new byte[Abi.OPEN_HOW_SIZE];
    Struct.u64(how, Abi.OPEN_HOW_AT_FLAGS, flags);
    Struct.u64(how, Abi.OPEN_HOW_AT_MODE, mode);
    Struct.u64(how, Abi.OPEN_HOW_AT_RESOLVE, resolve);
    try (CallMemory memory = memory(path.length + how.length)) {
      long opened = memory.with(path);
      long by = memory.with(how);
      return call(memory, CallNumber.OPENAT2, directory, opened, by, how.length, 0);
    }
  }

  @Override
  public int close(int descriptor) {
    try (CallMemory memory = spares.take()) {
      return call(memory, CallNumber.CLOSE, descriptor, 0, 0);
    }
  }

  @Override
  public int mkdirat(int directory, byte[] path, int mode) {
    try (CallMemory memory = memory(path.length)) {
      return call(memory, CallNumber.MKDIRAT, directory, memory.with(path), mode);
    }
  }

  @Override
  public int unlinkat(int directory, byte[] path, int flags) {
    try (CallMemory memory = memory(path.length)) {
      return call(memory, CallNumber.UNLINKAT, directory, memory.with(path), flags);
    }
  }

  @Override
  public int readlinkat(int directory, byte[] path, byte[] out) {
    try (CallMemory memory = memory((long) path.length + out.length)) {
      long link = memory.with(path);
      long answer = memory.room(out.length);
      int length = call(memory, CallNumber.READLINKAT, directory, link, answer, out.length, 0);
      memory.get(answer, out, Math.max(length, 0));
      return length;
    }
  }

  @Override
  public int fchownat(int directory, byte[] path, int user, int group, int flags) {
    try (CallMemory memory = memory(path.length)) {
      long changed = memory.with(path);
      return call(memory, CallNumber.FCHOWNAT, directory, changed, user, group, flags);
    }
  }

  @Override
  public int fchmodat(int directory, byte[] path, int mode) {
    try (CallMemory memory = memory(path.length)) {
      return call(memory, CallNumber.FCHMODAT, directory, memory.with(path), mode);
    }
  }

  @Override
  public int getdents64(int directory, byte[] out) {
    try (CallMemory memory = memory(out.length)) {
      long answer = memory.room(out.length);
      int length = call(memory, CallNumber.GETDENTS64, directory, answer, out.length);
      memory.get(answer, out, Math.max(length, 0));
      return length;
    }
  }

  @Override
  public int mount(
      byte @Nullable [] source,
      byte[] target,
      byte @Nullable [] type,
      long flags,
      byte @Nullable [] data) {
    long size = (long) length(source) + target.length + length(type) + length(data);
    try (CallMemory memory = memory(size)) {
      return call(
          memory,
          CallNumber.MOUNT,
          withAny(source, memory),
          memory.with(target),
          withAny(type, memory),
          flags,
          withAny(data, memory));
    }
  }

  @Override
  public int umount2(byte[] target, int flags) {
    try (CallMemory memory = memory(target.length)) {
      return call(memory, CallNumber.UMOUNT2, memory.with(target), flags, 0);
    }
  }

  @Override
  public int openTree(int directory, byte[] path, int flags) {
    try (CallMemory memory = memory(path.length)) {
      return call(memory, CallNumber.OPEN_TREE, directory, memory.with(path), flags);
    }
  }

  @Override
  public int moveMount(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    try (CallMemory memory = memory((long) from.length + to.length)) {
      long begin = memory.with(from);
      long end = memory.with(to);
      return call(memory, CallNumber.MOVE_MOUNT, fromDirectory, begin, toDirectory, end, flags);
    }
  }

  @Override
  public int mountSetattr(int directory, byte[] path, int flags, byte[] attr) {
    try (CallMemory memory = memory((long) path.length + attr.length)) {
      long changed = memory.with(path);
      long to = memory.with(attr);
      return call(
          memory, CallNumber.MOUNT_SETATTR, directory, changed, flags, to, Abi.MOUNT_ATTR_SIZE);
    }
  }

  @Override
  public int statmount(byte[] request, byte[] out) {
    try (CallMemory memory = memory((long) request.length + out.length)) {
      long asked = memory.with(request);
      long answer = memory.room(out.length);
      int result = call(memory, CallNumber.STATMOUNT, asked, answer, out.length);
      if (result == 0) {
        // The kernel writes the size of the output at its beginning.
        memory.get(answer, out, Math.min(memory.u32(answer), out.length));
      }
      return result;
    }
  }

  @Override
  public int listmount(byte[] request, long[] ids) {
    int size = Math.multiplyExact(ids.length, Long.BYTES);
    try (CallMemory memory = memory((long) request.length + size)) {
      long asked = memory.with(request);
      long answer = memory.room(size);
      int listed = call(memory, CallNumber.LISTMOUNT, asked, answer, ids.length);
      memory.get(answer, ids, Math.max(listed, 0));
      return listed;
    }
  }

  @Override
  public int fanotifyInit(int flags, int eventFlags) {
    try (CallMemory memory = spares.take()) {
      return call(memory, CallNumber.FANOTIFY_INIT, flags, eventFlags, 0);
    }
  }

  @Override
  public int fanotifyMark(int group, int flags, long mask, int directory, byte @Nullable [] path) {
    try (CallMemory memory = memory(length(path))) {
      long marked = withAny(path, memory);
      return call(memory, CallNumber.FANOTIFY_MARK, group, flags, mask, directory, marked);
    }
  }

  @Override
  public int eventfd(int initial, int flags) {
    try (CallMemory memory = spares.take()) {
      return call(memory, CallNumber.EVENTFD2, initial, flags, 0);
    }
  }

  @Override
  public int poll(byte[] descriptors, int count, int timeoutMillis) {
    byte[] limit = new byte[Abi.TIMESPEC_SIZE];
    Struct.u64(limit, Abi.TIMESPEC_AT_SECONDS, timeoutMillis / 1000);
    Struct.u64(limit, Abi.TIMESPEC_AT_NANOSECONDS, timeoutMillis % 1000 * 1_000_000L);
    try (CallMemory memory = memory((long) descriptors.length + limit.length)) {
      long waited = memory.with(descriptors);
      // Not every architecture has poll.
      long until = timeoutMillis < 0 ? 0 : memory.with(limit);
      int result = call(memory, CallNumber.PPOLL, waited, count, until);
      memory.get(waited, descriptors, descriptors.length);
      return result;
    }
  }

  @Override
  public int read(int descriptor, byte[] out) {
    try (CallMemory memory = memory(out.length)) {
      long answer = memory.room(out.length);
      int length = call(memory, CallNumber.READ, descriptor, answer, out.length);
      memory.get(answer, out, Math.max(length, 0));
      return length;
    }
  }

  @Override
  public int write(int descriptor, byte[] data) {
    try (CallMemory memory = memory(data.length)) {
      return call(memory, CallNumber.WRITE, descriptor, memory.with(data), data.length);
    }
  }

  private static int length(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private static long withAny(byte @Nullable [] bytes, CallMemory memory) {
    return bytes == null ? 0 : memory.with(bytes);
  }
}
