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

/** Tells in which mount an open descriptor is. Nothing behind the mount is asked. */
final class MountOf {

  private static final byte[] ABOVE = Abi.path("..");

  private final Kernel kernel;
  private final TableReader reader;

  MountOf(Kernel kernel) {
    this.kernel = kernel;
    this.reader = new TableReader(kernel);
  }

  /** All about the mount, or nothing if it is attached nowhere. */
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

  /** A number that is the mount's alone while the descriptor is open. */
  long id(int descriptor) {
    long unique = uniqueId(descriptor);
    return unique < 0 ? textId(descriptor) : unique;
  }

  /** The number of the mount in the kernel's text tables. */
  int textId(int descriptor) {
    try {
      return ProcFiles.mountId("self", descriptor);
    } catch (IOException e) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              "It cannot be told which mount a path is in: /proc/self/fdinfo does not say. Mount"
                  + " proc at /proc, and see that this process has descriptors left.")
          .cause(e)
          .build();
    }
  }

  /** The number that no other mount gets; an error if the kernel, or the filesystem, has none. */
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

  /** Whether a directory is the root of a mount: what is above it is in another one. */
  boolean isRoot(Descriptor directory) {
    int above = kernel.calls().openat(directory.number(), ABOVE, Abi.O_PATH | Abi.O_CLOEXEC, 0);
    if (above < 0) {
      return false;
    }
    try (Descriptor parent = new Descriptor(kernel.calls(), above)) {
      return id(above) != id(directory.number()) || isSame(parent, directory);
    }
  }

  /** Whether both are the root directory, above which is itself. */
  private boolean isSame(Descriptor one, Descriptor other) {
    byte[] path = new byte[2];
    return kernel.calls().readlinkat(Abi.AT_FDCWD, one.link(), path) == 1
        && kernel.calls().readlinkat(Abi.AT_FDCWD, other.link(), path) == 1;
  }

  /** Whether another mount lies over the root of this one. */
  boolean isCovered(MountRecord mount) {
    return below(mount).stream()
        .anyMatch(each -> each.parentId() == mount.id() && each.path().equals(mount.path()));
  }

  /** Every mount that is on this one, or on one that is; parents first. */
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
