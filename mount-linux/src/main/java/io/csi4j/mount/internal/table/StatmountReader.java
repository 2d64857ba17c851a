package io.csi4j.mount.internal.table;

import io.csi4j.mount.KernelText;
import io.csi4j.mount.MountException;
import io.csi4j.mount.MountIdentity;
import io.csi4j.mount.MountPath;
import io.csi4j.mount.MountRecord;
import io.csi4j.mount.MountRef;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Failures;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.MountIdRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads single mounts by the number that no other gets ({@code statmount}, Linux 6.8), without ever
 * asking their filesystems. What it gives is equal to what the text table gives, but for what the
 * text does not have.
 */
public final class StatmountReader {

  private static final long ALL =
      Abi.STATMOUNT_SB_BASIC
          | Abi.STATMOUNT_MNT_BASIC
          | Abi.STATMOUNT_PROPAGATE_FROM
          | Abi.STATMOUNT_MNT_ROOT
          | Abi.STATMOUNT_MNT_POINT
          | Abi.STATMOUNT_FS_TYPE
          | Abi.STATMOUNT_MNT_OPTS
          | Abi.STATMOUNT_FS_SUBTYPE
          | Abi.STATMOUNT_SB_SOURCE;

  /** More than most mounts need; the others are read again. */
  private static final int FIRST_SIZE = 1024;

  private static final int MOST_SIZE = 1 << 24;

  /** How often a row of the text table is looked for that fits a mount. */
  private static final int MOST_LOOKS = 3;

  private final Kernel kernel;
  private final MountInfoReader text;

  public StatmountReader(Kernel kernel) {
    this.kernel = kernel;
    this.text = new MountInfoReader(kernel);
  }

  /**
   * All about the mount, or nothing if it is gone or out of this namespace.
   *
   * @throws MountException if the kernel refuses
   */
  public Optional<MountRecord> record(long uniqueId) {
    Statmount mount = read(uniqueId, ALL).orElse(null);
    if (mount == null) {
      return Optional.empty();
    }
    if (isComplete(mount)) {
      return Optional.ofNullable(record(uniqueId, mount));
    }
    @Nullable MountRecord[] records = new MountRecord[1];
    complete(new long[] {uniqueId}, records, List.of(0));
    return Optional.ofNullable(records[0]);
  }

  /** Where the mount is, or nothing if it is gone or out of this namespace. */
  public Optional<MountPath> path(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_POINT).flatMap(StatmountReader::pathOf);
  }

  /**
   * The type of the mount's filesystem, without a subtype ({@code fuse}); nothing if the mount is
   * gone or out of this namespace.
   */
  public Optional<KernelText> type(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_FS_TYPE).map(Statmount::type);
  }

  /** The number of the mount it is on; nothing if it is gone or out of this namespace. */
  public OptionalLong parent(long uniqueId) {
    Optional<Statmount> mount = read(uniqueId, Abi.STATMOUNT_MNT_BASIC);
    return mount.isEmpty() ? OptionalLong.empty() : OptionalLong.of(mount.get().uniqueParentId());
  }

  /** The number of the mount in the text table; nothing if it is gone or out of this namespace. */
  public Optional<Integer> textId(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_BASIC).map(Statmount::id);
  }

  /** All about these mounts, in this order, without those that are gone. */
  public List<MountRecord> records(long[] uniqueIds) {
    @Nullable MountRecord[] records = new MountRecord[uniqueIds.length];
    List<Integer> incomplete = new ArrayList<>();
    for (int i = 0; i < uniqueIds.length; i++) {
      Statmount mount = read(uniqueIds[i], ALL).orElse(null);
      if (mount == null) {
        continue;
      }
      if (isComplete(mount)) {
        records[i] = record(uniqueIds[i], mount);
      } else {
        incomplete.add(i);
      }
    }
    complete(uniqueIds, records, incomplete);
    List<MountRecord> found = new ArrayList<>(records.length);
    for (MountRecord record : records) {
      if (record != null) {
        found.add(record);
      }
    }
    return found;
  }

  /**
   * Whether the structure says all. A kernel that gives the source (6.13) also gives the subtype
   * and the options where there are any. It never gives an empty source, nor the word for none.
   */
  private static boolean isComplete(Statmount mount) {
    return mount.has(Abi.STATMOUNT_SB_SOURCE);
  }

  /** Takes from the text table what the structures lack. */
  private void complete(
      long[] uniqueIds, @Nullable MountRecord[] records, List<Integer> incomplete) {
    List<Integer> left = incomplete;
    for (int look = 1; !left.isEmpty(); look++) {
      left = complete(uniqueIds, records, left, look == MOST_LOOKS);
    }
  }

  /**
   * One look at the text table for what the structures lack; returns those for which it did not
   * fit.
   */
  private List<Integer> complete(
      long[] uniqueIds,
      @Nullable MountRecord[] records,
      List<Integer> incomplete,
      boolean isLastLook) {
    Set<Integer> textIds = new HashSet<>();
    for (int i : incomplete) {
      textId(uniqueIds[i]).ifPresent(textIds::add);
    }
    Map<Integer, MountRecord> rows = text.find(textIds);
    List<Integer> left = new ArrayList<>();
    for (int i : incomplete) {
      // Read after the text: as it is still there, nobody else had its number meanwhile.
      Statmount mount = read(uniqueIds[i], ALL).orElse(null);
      if (mount == null) {
        continue;
      }
      MountRecord row = rows.get(mount.id());
      if (row != null && row.device().equals(mount.device()) && row.root().equals(mount.root())) {
        records[i] = record(uniqueIds[i], mount, row.type(), row.source(), row.options());
      } else if (isLastLook) {
        records[i] = record(uniqueIds[i], mount);
      } else {
        left.add(i);
      }
    }
    return left;
  }

  private @Nullable MountRecord record(long uniqueId, Statmount mount) {
    return record(uniqueId, mount, mount.type(), mount.source(), mount.options());
  }

  private @Nullable MountRecord record(
      long uniqueId,
      Statmount mount,
      KernelText type,
      KernelText source,
      List<KernelText> options) {
    MountPath path = pathOf(mount).orElse(null);
    return path == null
        ? null
        : new MountRecord(
            new MountRef(path, kernel.bootId(), new MountIdentity.Unique(uniqueId)),
            mount.id(),
            mount.parentId(),
            OptionalLong.of(mount.uniqueParentId()),
            mount.device(),
            mount.root(),
            mount.flags(),
            mount.propagation(),
            type,
            source,
            options);
  }

  /** Nothing for a mount that cannot be reached from the root directory of this process. */
  private static Optional<MountPath> pathOf(Statmount mount) {
    try {
      return Optional.of(mount.path());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Optional<Statmount> read(long uniqueId, long fields) {
    byte[] request = MountIdRequest.of(uniqueId, fields);
    for (int size = FIRST_SIZE; ; size *= 4) {
      byte[] out = new byte[size];
      int result = kernel.calls().statmount(request, out);
      if (result == 0) {
        return Optional.of(new Statmount(out));
      }
      // Numbers that no mount can have are refused as invalid.
      if (result == -Abi.ENOENT || result == -Abi.EINVAL) {
        return Optional.empty();
      }
      if (result != -Abi.EOVERFLOW || size >= MOST_SIZE) {
        throw Failures.of("Reading mount " + uniqueId, "statmount", result, MountPath.ROOT).build();
      }
    }
  }
}
