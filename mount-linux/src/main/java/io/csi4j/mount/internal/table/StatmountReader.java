package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Spares;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.list.LazyList;
import io.csi4j.mount.internal.text.ByteSearch;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads single mounts by their unique number ({@code statmount}, Linux 6.8), without ever calling
 * their filesystems. The result equals that of the text table, except for data that the text lacks.
 */
public final class StatmountReader {

  private static final long ALL =
      Abi.STATMOUNT_SB_BASIC
          | Abi.STATMOUNT_MNT_BASIC
          | Abi.STATMOUNT_MNT_ROOT
          | Abi.STATMOUNT_MNT_POINT
          | Abi.STATMOUNT_FS_TYPE
          | Abi.STATMOUNT_MNT_OPTS
          | Abi.STATMOUNT_FS_SUBTYPE
          | Abi.STATMOUNT_SB_SOURCE;

  /** More than most mounts need; others are read again. */
  private static final int FIRST_SIZE = 1024;

  private static final int MOST_SIZE = 1 << 24;

  /** Maximum number of reads of the text table for rows that fit the mounts. */
  private static final int MOST_LOOKS = 3;

  /** One of this many mounts is examined to decide how to read a table. */
  private static final int SAMPLE = 64;

  /**
   * The number of steps along a list of peers in the kernel that cost as much as reading one mount
   * by its number instead of its row in the text.
   */
  private static final long STEPS_FOR_A_ROW = 256;

  private final Kernel kernel;
  private final MountInfoReader text;

  /**
   * Whether the kernel was seen to return a source, so that a mount without one has an empty
   * source.
   */
  private volatile boolean isSourceGiven;

  /** A structure is read often, and clearing its memory costs more than reading it. */
  private final Spares<byte[]> spares = new Spares<>(() -> new byte[FIRST_SIZE]);

  public StatmountReader(Kernel kernel) {
    this.kernel = kernel;
    this.text = new MountInfoReader(kernel);
  }

  /**
   * Returns all about the mount; empty if it is gone or outside this namespace.
   *
   * @throws MountException if the kernel refuses
   */
  public Optional<MountRecord> record(long uniqueId) {
    return read(
        uniqueId, ALL, mount -> isComplete(mount) ? record(uniqueId, mount) : completed(uniqueId));
  }

  /** Returns the path of the mount; empty if it is gone or outside this namespace. */
  public Optional<MountPath> path(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_POINT, StatmountReader::pathOf);
  }

  /**
   * Returns the type of the mount's filesystem, without a subtype ({@code fuse}); empty if the
   * mount is gone or outside this namespace.
   */
  public Optional<KernelText> type(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_FS_TYPE, Statmount::type);
  }

  /**
   * Returns the number of the parent mount; empty if the mount is gone or outside this namespace.
   */
  public OptionalLong parent(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_BASIC, mount -> OptionalLong.of(mount.uniqueParentId()))
        .orElse(OptionalLong.empty());
  }

  /**
   * Returns the number of the mount in the text table; empty if it is gone or outside this
   * namespace.
   */
  public Optional<Integer> textId(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_BASIC, Statmount::id);
  }

  /**
   * Returns the group from which a mount receives mounts if its master is not visible; empty if
   * there is none, or if the mount is gone or outside this namespace. The kernel walks along all
   * peers of the master.
   */
  public OptionalInt propagateFrom(long uniqueId) {
    return read(
            uniqueId,
            Abi.STATMOUNT_MNT_BASIC | Abi.STATMOUNT_PROPAGATE_FROM,
            Statmount::propagateFrom)
        .orElse(OptionalInt.empty());
  }

  /**
   * Returns whether reading all these mounts by number is faster than reading the text table. For
   * the row of a slave the kernel walks along the peers of its master, so a mount namespace that is
   * a slave of another one costs the square of its mounts. A sample of the mounts shows their
   * masters; a master has about as many peers as slaves. If the kernel does not return the source,
   * the text is necessary in any case.
   */
  boolean isQuickerThanText(long[] uniqueIds) {
    Map<Integer, Integer> slaves = new HashMap<>();
    for (int i = SAMPLE - 1; i < uniqueIds.length; i += SAMPLE) {
      master(uniqueIds[i]).ifPresent(master -> slaves.merge(master, SAMPLE, Integer::sum));
    }
    long steps = slaves.values().stream().mapToLong(each -> (long) each * each).sum();
    return steps > STEPS_FOR_A_ROW * uniqueIds.length && givesSource(uniqueIds);
  }

  private OptionalInt master(long uniqueId) {
    return read(uniqueId, Abi.STATMOUNT_MNT_BASIC, Statmount::master).orElse(OptionalInt.empty());
  }

  private boolean givesSource(long[] uniqueIds) {
    for (int i = SAMPLE - 1; i < uniqueIds.length && !isSourceGiven; i += SAMPLE) {
      read(uniqueIds[i], Abi.STATMOUNT_SB_SOURCE, this::isComplete);
    }
    return isSourceGiven;
  }

  /**
   * Returns all about these mounts, in this order, without those that are gone. The data is read
   * now; the records are created when one of them is first accessed.
   */
  public List<MountRecord> records(long[] uniqueIds) {
    @Nullable Read[] mounts = new Read[uniqueIds.length];
    List<Integer> incomplete = new ArrayList<>();
    for (int i = 0; i < uniqueIds.length; i++) {
      int place = i;
      long id = uniqueIds[i];
      mounts[i] =
          read(
                  id,
                  ALL,
                  mount -> {
                    if (isComplete(mount)) {
                      return Read.of(id, mount, null);
                    }
                    incomplete.add(place);
                    return null;
                  })
              .orElse(null);
    }
    complete(uniqueIds, mounts, incomplete);
    List<Read> found = new ArrayList<>(mounts.length);
    for (Read mount : mounts) {
      if (mount != null) {
        found.add(mount);
      }
    }
    return new LazyList<>(found.size(), () -> found.stream().map(this::record).toList());
  }

  /**
   * Returns whether the structure is complete. A kernel that returns the source (6.13) also returns
   * the subtype and the options if there are any. It leaves out an empty source.
   */
  private boolean isComplete(Statmount mount) {
    if (mount.has(Abi.STATMOUNT_SB_SOURCE)) {
      isSourceGiven = true;
    }
    return isSourceGiven;
  }

  /** Returns the mount completed from the text table; null if it is gone, or cannot be reached. */
  private @Nullable MountRecord completed(long uniqueId) {
    @Nullable Read[] mounts = new Read[1];
    complete(new long[] {uniqueId}, mounts, List.of(0));
    return mounts[0] == null ? null : record(mounts[0]);
  }

  /** Takes missing data from the text table. */
  private void complete(long[] uniqueIds, @Nullable Read[] mounts, List<Integer> incomplete) {
    List<Integer> left = incomplete;
    for (int look = 1; !left.isEmpty(); look++) {
      left = complete(uniqueIds, mounts, left, look == MOST_LOOKS);
    }
  }

  /** Reads the text table once for missing data; returns the mounts for which it did not fit. */
  private List<Integer> complete(
      long[] uniqueIds, @Nullable Read[] mounts, List<Integer> incomplete, boolean isLastLook) {
    Set<Integer> textIds = new HashSet<>();
    for (int i : incomplete) {
      textId(uniqueIds[i]).ifPresent(textIds::add);
    }
    Map<Integer, MountRecord> rows = text.find(textIds);
    List<Integer> left = new ArrayList<>();
    for (int i : incomplete) {
      // Read after the text: as the mount still exists, no other mount had its number meanwhile.
      long id = uniqueIds[i];
      boolean isDone =
          read(
                  id,
                  ALL,
                  mount -> {
                    MountRecord row = rows.get(mount.id());
                    boolean isItsRow = row != null && isRowOf(mount, row);
                    if (!isItsRow && !isLastLook) {
                      return false;
                    }
                    mounts[i] = Read.of(id, mount, isItsRow ? row : null);
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

  /**
   * A mount that was read, before its record is created.
   *
   * @param mount the structure, in its own memory
   * @param row the row with missing data, if data is missing
   */
  private record Read(long id, Statmount mount, @Nullable MountRecord row) {

    /** Returns null for a mount that cannot be reached from the root directory of this process. */
    static @Nullable Read of(long id, Statmount mount, @Nullable MountRecord row) {
      return mount.canBeMade() ? new Read(id, mount.copy(), row) : null;
    }
  }

  private MountRecord record(Read read) {
    MountRecord row = read.row;
    Statmount mount = read.mount;
    return Objects.requireNonNull(
        row == null
            ? record(read.id, mount)
            : record(read.id, mount, row.type(), row.source(), row.options()));
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
            new MountRef(path, kernel.bootId(), new MountRef.Identity.Unique(uniqueId)),
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

  /** Returns null for a mount that cannot be reached from the root directory of this process. */
  private static @Nullable MountPath pathOf(Statmount mount) {
    try {
      return mount.path();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** A use of a structure, whose memory is reused afterwards. */
  private interface Use<T> {
    @Nullable T of(Statmount mount);
  }

  /**
   * Returns the value that is made from the mount; empty if the mount is gone, or no value was
   * made.
   */
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
                      + " failed: the kernel returned a structure that no mount can have. Report "
                      + "it;"
                      + " without statmount mounts are read from /proc/self/mountinfo.")
              .cause(e)
              .build();
        }
      }
      // The kernel answers EINVAL for a number that no mount can have.
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

    /** All fields that are read are before this offset. */
    private static final int HEAD = 128;

    private final byte[] bytes;

    /** The start of the texts. */
    private final int texts;

    Statmount(byte[] bytes) {
      this(bytes, Abi.STATMOUNT_STRINGS);
    }

    private Statmount(byte[] bytes, int texts) {
      this.bytes = bytes;
      this.texts = texts;
    }

    /** Returns a copy of the used part of the memory. */
    Statmount copy() {
      // Only the size that the kernel wrote shows the end of the last text.
      int size = Struct.u32(bytes, Abi.STATMOUNT_AT_SIZE);
      int end = size < texts || size > bytes.length ? bytes.length : size;
      for (int i = 0; i < TEXTS.length; i++) {
        end = has(TEXTS[i]) && from(TEXTS[i], TEXT_PLACES[i]) > end ? bytes.length : end;
      }
      byte[] used = new byte[HEAD + end - texts];
      System.arraycopy(bytes, 0, used, 0, HEAD);
      System.arraycopy(bytes, texts, used, HEAD, end - texts);
      return new Statmount(used, HEAD);
    }

    /**
     * Returns whether the mount can be reached, so that a record can be created.
     *
     * @throws IllegalArgumentException if its device is invalid
     */
    boolean canBeMade() {
      device();
      int from = from(Abi.STATMOUNT_MNT_POINT, Abi.STATMOUNT_AT_MNT_POINT);
      return ByteSearch.isOrdinaryPath(bytes, from, end(from)) || pathOf(this) != null;
    }

    /**
     * Checks that each of its texts starts inside it.
     *
     * @throws IllegalArgumentException if one does not
     */
    void checkTexts() {
      for (int i = 0; i < TEXTS.length; i++) {
        int at = TEXT_PLACES[i];
        int from = has(TEXTS[i]) ? Struct.u32(bytes, at) : 0;
        if (from < 0 || from > bytes.length - Abi.STATMOUNT_STRINGS) {
          throw new IllegalArgumentException(
              "A string begins outside of the structure, at " + from + ".");
        }
      }
    }

    /**
     * Returns whether the kernel filled this field; it leaves out empty texts and unknown fields.
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
     * Returns the path of the mount.
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

    /** Returns the type, with the subtype after a dot, as in the text table. */
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

    /** Returns the options, preceded by the flags of the filesystem, as in the text table. */
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

    Propagation.Tags propagation() {
      long kind = Struct.u64(bytes, Abi.STATMOUNT_AT_PROPAGATION);
      if ((kind & (MS_SHARED | MS_SLAVE | MS_UNBINDABLE)) == 0) {
        return Propagation.Tags.PRIVATE;
      }
      return new Propagation.Tags(
          group(kind & MS_SHARED, Abi.STATMOUNT_AT_PEER_GROUP),
          master(),
          (kind & MS_UNBINDABLE) != 0,
          List.of());
    }

    OptionalInt master() {
      return ofSlave(Abi.STATMOUNT_AT_MASTER);
    }

    /** Returns the group; empty if the kernel names the master, as in the text table. */
    OptionalInt propagateFrom() {
      OptionalInt from = ofSlave(Abi.STATMOUNT_AT_PROPAGATE_FROM);
      return from.equals(master()) ? OptionalInt.empty() : from;
    }

    private OptionalInt ofSlave(int at) {
      return group(Struct.u64(bytes, Abi.STATMOUNT_AT_PROPAGATION) & MS_SLAVE, at);
    }

    private OptionalInt group(long applies, int at) {
      int group = applies == 0 ? 0 : (int) Struct.u64(bytes, at);
      return group == 0 ? OptionalInt.empty() : OptionalInt.of(group);
    }

    /** Returns a text field up to its NUL; empty if it is left out. */
    private KernelText text(long field, int at) {
      int from = from(field, at);
      return KernelText.ofBytes(bytes, from, end(from));
    }

    /** Returns the start of a text field; the end of the structure if it is left out. */
    private int from(long field, int at) {
      return has(field) ? texts + Struct.u32(bytes, at) : bytes.length;
    }

    private int end(int from) {
      return ByteSearch.indexOf((byte) 0, bytes, from, bytes.length);
    }
  }
}
