package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import java.util.Arrays;

/** Lists mounts by their unique numbers, in ascending order ({@code listmount}, Linux 6.8). */
public final class MountIds {

  /** The size of the first request, and the maximum size. */
  private static final int FIRST = 512;

  private static final int MOST = 1 << 16;

  private final Kernel kernel;

  /** The number of mounts in the last complete list. */
  private volatile int known;

  public MountIds(Kernel kernel) {
    this.kernel = kernel;
  }

  /**
   * Returns all mounts of the namespace that this process can reach from its root directory.
   *
   * @throws MountException if the kernel refuses
   */
  public long[] all() {
    return all(known);
  }

  /**
   * Does the same as {@link #all()} in few calls.
   *
   * @param expected the expected number of mounts
   */
  long[] all(int expected) {
    long[] ids = list(Abi.LSMT_ROOT, 0, expected);
    known = ids.length;
    return ids;
  }

  /**
   * Returns the mounts on this one, directly or indirectly; none if it is gone.
   *
   * @throws MountException if the kernel refuses
   */
  public long[] below(long uniqueId) {
    return list(uniqueId, 0, 0);
  }

  /**
   * Returns the mounts of {@link #all()} that were made after this one.
   *
   * @throws MountException if the kernel refuses
   */
  long[] after(long uniqueId) {
    return list(Abi.LSMT_ROOT, uniqueId, 0);
  }

  /**
   * Lists mounts.
   *
   * @param on the parent mount
   * @param after the number after which the list starts
   * @param expected the expected number of mounts
   */
  private long[] list(long on, long after, int expected) {
    long[] part = new long[Math.min(MOST, Math.max(FIRST, expected + FIRST))];
    long[] ids = {};
    while (true) {
      long last = ids.length == 0 ? after : ids[ids.length - 1];
      int listed = kernel.calls().listmount(Struct.mountIdRequest(on, last), part);
      if (listed == -Abi.ENOENT) {
        return new long[0];
      }
      if (listed < 0) {
        throw ErrnoMeaning.of("Listing the mounts", "listmount", listed, MountPath.ROOT).build();
      }
      if (ids.length == 0 && listed < part.length) {
        return Arrays.copyOf(part, listed);
      }
      int before = ids.length;
      ids = Arrays.copyOf(ids, before + listed);
      System.arraycopy(part, 0, ids, before, listed);
      if (listed < part.length) {
        return ids;
      }
      part = new long[Math.min(MOST, 2 * part.length)];
    }
  }
}
