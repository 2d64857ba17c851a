package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.text.ByteSearch;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.PropagationTags;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** A {@code struct statmount} that the kernel filled: numbers, and texts at its end. */
final class Statmount {

  private static final int MS_SHARED = (int) Abi.MS_SHARED;
  private static final int MS_SLAVE = (int) Abi.MS_SLAVE;
  private static final int MS_UNBINDABLE = (int) Abi.MS_UNBINDABLE;

  private static final MountFlag[] FLAGS = MountFlag.values();
  private static final KernelText READ_ONLY = KernelText.of("ro");
  private static final KernelText WRITABLE = KernelText.of("rw");
  private static final KernelText SYNC = KernelText.of("sync");
  private static final KernelText DIRSYNC = KernelText.of("dirsync");
  private static final KernelText LAZYTIME = KernelText.of("lazytime");

  private final byte[] bytes;

  Statmount(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Whether the kernel filled this field; it leaves out empty texts and what it does not know. */
  boolean has(long field) {
    return (Struct.u64(bytes, Abi.STATMOUNT_AT_MASK) & field) != 0;
  }

  int id() {
    return Struct.u32(bytes, Abi.STATMOUNT_AT_MNT_ID_OLD);
  }

  int parentId() {
    return Struct.u32(bytes, Abi.STATMOUNT_AT_PARENT_ID_OLD);
  }

  long uniqueParentId() {
    return Struct.u64(bytes, Abi.STATMOUNT_AT_PARENT_ID);
  }

  DeviceId device() {
    return new DeviceId(
        Struct.u32(bytes, Abi.STATMOUNT_AT_SB_DEV_MAJOR),
        Struct.u32(bytes, Abi.STATMOUNT_AT_SB_DEV_MINOR));
  }

  KernelText root() {
    return text(Abi.STATMOUNT_MNT_ROOT, Abi.STATMOUNT_AT_MNT_ROOT);
  }

  /**
   * Where it is.
   *
   * @throws IllegalArgumentException if it cannot be reached from the root directory of this
   *     process
   */
  MountPath path() {
    int from = from(Abi.STATMOUNT_MNT_POINT, Abi.STATMOUNT_AT_MNT_POINT);
    return MountPath.ofBytes(bytes, from, end(from));
  }

  KernelText source() {
    return text(Abi.STATMOUNT_SB_SOURCE, Abi.STATMOUNT_AT_SB_SOURCE);
  }

  /** The type, with the subtype after a dot, as in the text table. */
  KernelText type() {
    KernelText type = text(Abi.STATMOUNT_FS_TYPE, Abi.STATMOUNT_AT_FS_TYPE);
    if (!has(Abi.STATMOUNT_FS_SUBTYPE)) {
      return type;
    }
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    joined.writeBytes(type.bytes());
    joined.write('.');
    joined.writeBytes(text(Abi.STATMOUNT_FS_SUBTYPE, Abi.STATMOUNT_AT_FS_SUBTYPE).bytes());
    return KernelText.ofBytes(joined.toByteArray());
  }

  /** The options, with the flags of the filesystem before them, as in the text table. */
  List<KernelText> options() {
    long flags = Struct.u32(bytes, Abi.STATMOUNT_AT_SB_FLAGS);
    List<KernelText> options = new ArrayList<>();
    options.add((flags & Abi.MS_RDONLY) != 0 ? READ_ONLY : WRITABLE);
    if ((flags & Abi.MS_SYNCHRONOUS) != 0) {
      options.add(SYNC);
    }
    if ((flags & Abi.MS_DIRSYNC) != 0) {
      options.add(DIRSYNC);
    }
    if ((flags & Abi.MS_LAZYTIME) != 0) {
      options.add(LAZYTIME);
    }
    int from = from(Abi.STATMOUNT_MNT_OPTS, Abi.STATMOUNT_AT_MNT_OPTS);
    RowFields.split(bytes, from, end(from), ',', options);
    return options;
  }

  Set<MountFlag> flags() {
    long attributes = Struct.u64(bytes, Abi.STATMOUNT_AT_MNT_ATTR);
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    for (MountFlag flag : FLAGS) {
      if ((attributes & Abi.attribute(flag)) != 0) {
        flags.add(flag);
      }
    }
    if ((attributes & Abi.MOUNT_ATTR_ATIME) == 0) {
      flags.add(MountFlag.RELATIME);
    }
    return flags;
  }

  PropagationTags propagation() {
    long kind = Struct.u64(bytes, Abi.STATMOUNT_AT_PROPAGATION);
    if ((kind & (MS_SHARED | MS_SLAVE | MS_UNBINDABLE)) == 0) {
      return PropagationTags.PRIVATE;
    }
    int peers = group(kind & MS_SHARED, Abi.STATMOUNT_AT_PEER_GROUP);
    int master = group(kind & MS_SLAVE, Abi.STATMOUNT_AT_MASTER);
    int from = group(kind & MS_SLAVE, Abi.STATMOUNT_AT_PROPAGATE_FROM);
    return new PropagationTags(
        optional(peers),
        optional(master),
        optional(from == master ? 0 : from),
        (kind & MS_UNBINDABLE) != 0,
        List.of());
  }

  private int group(long applies, int at) {
    return applies == 0 ? 0 : (int) Struct.u64(bytes, at);
  }

  private static OptionalInt optional(int group) {
    return group == 0 ? OptionalInt.empty() : OptionalInt.of(group);
  }

  /** A text field up to its NUL; empty if it is left out. */
  private KernelText text(long field, int at) {
    int from = from(field, at);
    return KernelText.ofBytes(bytes, from, end(from));
  }

  /** Where a text field begins; at the end of everything if it is left out. */
  private int from(long field, int at) {
    return has(field) ? Abi.STATMOUNT_STRINGS + Struct.u32(bytes, at) : bytes.length;
  }

  private int end(int from) {
    return ByteSearch.indexOf((byte) 0, bytes, from, bytes.length);
  }
}
