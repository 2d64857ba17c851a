package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Spares;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.text.ByteSearch;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountIdentity;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.PropagationTags;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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

  /** A structure is read often, and clearing memory for it costs more than reading it does. */
  private final Spares<byte[]> spares = new Spares<>(() -> new byte[FIRST_SIZE]);

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
    return read(
        uniqueId, ALL, mount -> isComplete(mount) ? record(uniqueId, mount) : completed(uniqueId));
  }

  /** Where the mount is, or nothing if it is gone or out of this namespace. */
  public Optional<MountPath> path(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_POINT, StatmountReader::pathOf);
  }

  /**
   * The type of the mount's filesystem, without a subtype ({@code fuse}); nothing if the mount is
   * gone or out of this namespace.
   */
  public Optional<KernelText> type(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_FS_TYPE, Statmount::type);
  }

  /** The number of the mount it is on; nothing if it is gone or out of this namespace. */
  public OptionalLong parent(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_BASIC, mount -> OptionalLong.of(mount.uniqueParentId()))
        .orElse(OptionalLong.empty());
  }

  /** The number of the mount in the text table; nothing if it is gone or out of this namespace. */
  public Optional<Integer> textId(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_BASIC, Statmount::id);
  }

  /** All about these mounts, in this order, without those that are gone. */
  public List<MountRecord> records(long[] uniqueIds) {
    @Nullable MountRecord[] records = new MountRecord[uniqueIds.length];
    List<Integer> incomplete = new ArrayList<>();
    for (int i = 0; i < uniqueIds.length; i++) {
      int place = i;
      long id = uniqueIds[i];
      records[i] =
          read(
                  id,
                  ALL,
                  mount -> {
                    if (isComplete(mount)) {
                      return record(id, mount);
                    }
                    incomplete.add(place);
                    return null;
                  })
              .orElse(null);
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

  /** The mount with what its structure lacks; null if it is gone, or cannot be reached. */
  private @Nullable MountRecord completed(long uniqueId) {
    @Nullable MountRecord[] records = new MountRecord[1];
    complete(new long[] {uniqueId}, records, List.of(0));
    return records[0];
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
      // Read after the text: as it is still there, no other mount had its number meanwhile.
      long id = uniqueIds[i];
      boolean isDone =
          read(
                  id,
                  ALL,
                  mount -> {
                    MountRecord row = rows.get(mount.id());
                    if (row != null && isRowOf(mount, row)) {
                      records[i] = record(id, mount, row.type(), row.source(), row.options());
                    } else if (isLastLook) {
                      records[i] = record(id, mount);
                    } else {
                      return false;
                    }
                    return true;
                  })
              .orElse(true);
      if (!isDone) {
        left.add(i);
      }
    }
    return left;
  }

  private static boolean isRowOf(Statmount mount, MountRecord row) {
    return row.device().equals(mount.device()) && row.root().equals(mount.root());
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
    MountPath path = pathOf(mount);
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

  /** Null for a mount that cannot be reached from the root directory of this process. */
  private static @Nullable MountPath pathOf(Statmount mount) {
    try {
      return mount.path();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** A use of a structure, whose memory is used again after it. */
  private interface Use<T> {
    @Nullable T of(Statmount mount);
  }

  /** Returns what is made of the mount; nothing if it is gone, or nothing was made of it. */
  private <T> Optional<T> read(long uniqueId, long fields, Use<T> use) {
    byte[] request = Struct.mountIdRequest(uniqueId, fields);
    byte[] spare = spares.take();
    try {
      int result = kernel.calls().statmount(request, spare);
      byte[] out = spare;
      while (result == -Abi.EOVERFLOW && out.length < MOST_SIZE) {
        out = new byte[4 * out.length];
        result = kernel.calls().statmount(request, out);
      }
      if (result == 0) {
        Statmount mount = new Statmount(out);
        try {
          mount.checkTexts();
          return Optional.ofNullable(use.of(mount));
        } catch (IllegalArgumentException e) {
          throw MountException.builder(
                  MountException.Reason.OTHER,
                  "Reading mount "
                      + uniqueId
                      + " failed: the kernel gave a structure that no mount can have. Report it;"
                      + " without statmount mounts are read from /proc/self/mountinfo.")
              .cause(e)
              .build();
        }
      }
      // Numbers that no mount can have are refused as invalid.
      if (result == -Abi.ENOENT || result == -Abi.EINVAL) {
        return Optional.empty();
      }
      throw ErrnoMeaning.of("Reading mount " + uniqueId, "statmount", result, MountPath.ROOT)
          .build();
    } finally {
      spares.giveBack(spare);
    }
  }

  /** A {@code struct statmount} that the kernel filled: numbers, and texts at its end. */
  private static final class Statmount {

    private static final int MS_SHARED = (int) Abi.MS_SHARED;
    private static final int MS_SLAVE = (int) Abi.MS_SLAVE;
    private static final int MS_UNBINDABLE = (int) Abi.MS_UNBINDABLE;

    private static final MountFlag[] FLAGS = MountFlag.values();
    private static final KernelText READ_ONLY = KernelText.of("ro");
    private static final KernelText WRITABLE = KernelText.of("rw");
    private static final KernelText SYNC = KernelText.of("sync");
    private static final KernelText DIRSYNC = KernelText.of("dirsync");
    private static final KernelText LAZYTIME = KernelText.of("lazytime");

    private static final long[] TEXTS = {
      Abi.STATMOUNT_FS_TYPE,
      Abi.STATMOUNT_MNT_OPTS,
      Abi.STATMOUNT_MNT_ROOT,
      Abi.STATMOUNT_MNT_POINT,
      Abi.STATMOUNT_FS_SUBTYPE,
      Abi.STATMOUNT_SB_SOURCE
    };
    private static final int[] TEXT_PLACES = {
      Abi.STATMOUNT_AT_FS_TYPE,
      Abi.STATMOUNT_AT_MNT_OPTS,
      Abi.STATMOUNT_AT_MNT_ROOT,
      Abi.STATMOUNT_AT_MNT_POINT,
      Abi.STATMOUNT_AT_FS_SUBTYPE,
      Abi.STATMOUNT_AT_SB_SOURCE
    };

    private final byte[] bytes;

    Statmount(byte[] bytes) {
      this.bytes = bytes;
    }

    /**
     * Looks whether each text that it has begins in it.
     *
     * @throws IllegalArgumentException if one does not
     */
    void checkTexts() {
      for (int i = 0; i < TEXTS.length; i++) {
        int at = TEXT_PLACES[i];
        int from = has(TEXTS[i]) ? Struct.u32(bytes, at) : 0;
        if (from < 0 || from > bytes.length - Abi.STATMOUNT_STRINGS) {
          throw new IllegalArgumentException("A text begins outside of it, at " + from + ".");
        }
      }
    }

    /**
     * Whether the kernel filled this field; it leaves out empty texts and what it does not know.
     */
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
}
