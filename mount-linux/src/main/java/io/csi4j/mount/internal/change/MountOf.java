package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.table.StatmountReader;
import io.csi4j.mount.internal.table.TableReader;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Determines the mount of an open descriptor, without calling the filesystem. */
final class MountOf {

  private static final byte[] ABOVE = Abi.path("..");

  private final Kernel kernel;
  private final TableReader reader;

  MountOf(Kernel kernel) {
    this.kernel = kernel;
    this.reader = new TableReader(kernel);
  }

  /** Returns all about the mount; empty if it is not attached. */
  Optional<MountRecord> record(Descriptor descriptor) {
    if (kernel.features().has(Feature.STATMOUNT)) {
      long unique = uniqueId(descriptor.number());
      Optional<MountRecord> found =
          unique < 0 ? Optional.empty() : new StatmountReader(kernel).record(unique);
      if (found.isPresent()) {
        return found;
      }
    }
    int id = textId(descriptor.number());
    return reader.read(record -> record.id() == id).records().stream().findFirst();
  }

  /** Returns a number that no other mount has while the descriptor is open. */
  long id(int descriptor) {
    long unique = uniqueId(descriptor);
    return unique < 0 ? textId(descriptor) : unique;
  }

  /** Returns the number of the mount in the kernel's text tables. */
  int textId(int descriptor) {
    try {
      return ProcFiles.mountId("self", descriptor);
    } catch (IOException e) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              "The mount of a path cannot be determined: /proc/self/fdinfo does not show it. Mount"
                  + " proc at /proc, and check that this process has file descriptors left.")
          .cause(e)
          .build();
    }
  }

  /** Returns the unique number of the mount; an error if the kernel or the filesystem has none. */
  private long uniqueId(int descriptor) {
    if (!kernel.features().has(Feature.STATX_UNIQUE_ID)) {
      return -Abi.ENOSYS;
    }
    byte[] out = new byte[Abi.STATX_SIZE];
    int flags = Abi.AT_EMPTY_PATH | Abi.AT_STATX_DONT_SYNC | Abi.AT_NO_AUTOMOUNT;
    int looked =
        kernel.calls().statx(descriptor, Abi.emptyPath(), flags, Abi.STATX_MNT_ID_UNIQUE, out);
    return looked < 0 ? looked : Struct.u64(out, Abi.STATX_AT_MNT_ID);
  }

  /** Returns whether a directory is the root of a mount: its parent is in another mount. */
  boolean isRoot(Descriptor directory) {
    int above = kernel.calls().openat(directory.number(), ABOVE, Abi.O_PATH | Abi.O_CLOEXEC, 0);
    if (above < 0) {
      return false;
    }
    try (Descriptor parent = new Descriptor(kernel.calls(), above)) {
      return id(above) != id(directory.number()) || isSame(parent, directory);
    }
  }

  /** Returns whether both are the root directory, which is its own parent. */
  private boolean isSame(Descriptor one, Descriptor other) {
    byte[] path = new byte[2];
    return kernel.calls().readlinkat(Abi.AT_FDCWD, one.link(), path) == 1
        && kernel.calls().readlinkat(Abi.AT_FDCWD, other.link(), path) == 1;
  }

  /** Returns whether another mount covers the root of this one. */
  boolean isCovered(MountRecord mount) {
    return below(mount).stream()
        .anyMatch(each -> each.parentId() == mount.id() && each.path().equals(mount.path()));
  }

  /** Returns every mount on this one, directly or indirectly; parents first. */
  List<MountRecord> below(MountRecord top) {
    List<MountRecord> all = reader.read(record -> true).records();
    List<MountRecord> found = new ArrayList<>(List.of(top));
    for (int i = 0; i < found.size(); i++) {
      MountRecord parent = found.get(i);
      all.stream()
          .filter(each -> each.parentId() == parent.id() && each.id() != parent.id())
          .forEach(found::add);
    }
    return found.subList(1, found.size());
  }
}
