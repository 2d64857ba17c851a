package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Which directory or file of its filesystem a source is: what the root of a bind of it will be. */
final class SourceRoot {

  private static final byte[] DELETED = " (deleted)".getBytes(StandardCharsets.US_ASCII);

  private SourceRoot() {}

  /**
   * The root of the mount that the source is in, and the way from there to the source. The way is
   * what the kernel calls the open source, so links that led to it do not matter.
   */
  static KernelText of(Kernel kernel, Descriptor source, MountRecord mount) {
    byte[] path = new byte[Abi.PATH_MAX];
    int length = kernel.calls().readlinkat(Abi.AT_FDCWD, source.link(), path);
    if (length <= 0) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              "It cannot be told what the source of a bind is: /proc/self/fd does not say. Mount"
                  + " proc at /proc.")
          .build();
    }
    return below(mount, Arrays.copyOf(path, length));
  }

  /** The root of a bind of this path, which is in this mount. */
  static KernelText below(MountRecord mount, byte[] path) {
    if (mount.isDeleted() && endsWith(path, DELETED)) {
      path = Arrays.copyOf(path, path.length - DELETED.length);
    }
    byte[] root = mount.root().bytes();
    byte[] rest = Arrays.copyOfRange(path, Math.min(prefix(mount), path.length), path.length);
    if (rest.length == 0) {
      return mount.root();
    }
    int keep = root.length == 1 ? 0 : root.length;
    byte[] joined = Arrays.copyOf(root, keep + rest.length);
    System.arraycopy(rest, 0, joined, keep, rest.length);
    return KernelText.ofBytes(joined);
  }

  /** How many bytes of a path lead to the mount; the slash after them is not one of them. */
  private static int prefix(MountRecord mount) {
    return mount.path().isRoot() ? 0 : mount.path().bytes().length;
  }

  private static boolean endsWith(byte[] path, byte[] end) {
    return path.length >= end.length
        && Arrays.equals(path, path.length - end.length, path.length, end, 0, end.length);
  }
}
