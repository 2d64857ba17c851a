package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.table.PathLook.Seen;
import io.csi4j.mount.internal.table.PathLook.Unmounted;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** The mount table of one kernel. Implements the contract of {@link io.csi4j.mount.MountTable}. */
public class KernelTable {

  /** Maximum number of looks at a path whose mount disappears meanwhile. */
  private static final int MOST_LOOKS = 10;

  /** Reading this many mounts one by one costs about as much as a table of some thousands. */
  private static final int FEW = 256;

  /** A power of two. */
  private static final int REMEMBERED = 1024;

  private final Kernel kernel;
  private final TableReader reader;
  private final MountInfoReader text;
  private final StatmountReader mounts;
  private final PathLook look;
  private final MountIds ids;

  /**
   * The health that follows from the type of a mount, cached by its unique number, for a limited
   * number of mounts: the type never changes, and reading it costs more than the look at the path.
   * Each slot has the last number that belongs there, doubled, plus one if a server answers.
   */
  private final AtomicLongArray healths = new AtomicLongArray(REMEMBERED);

  public KernelTable(Kernel kernel) {
    this(
        kernel,
        FilesystemTypes.watched(() -> ProcFiles.read("/proc/filesystems"), System::nanoTime));
  }

  /**
   * Creates a table.
   *
   * @param careful returns whether a look at a path must not enter a mount
   */
  protected KernelTable(Kernel kernel, BooleanSupplier careful) {
    this.kernel = kernel;
    this.reader = new TableReader(kernel);
    this.text = new MountInfoReader(kernel);
    this.mounts = new StatmountReader(kernel);
    this.look = new PathLook(kernel, reader, careful);
    this.ids = new MountIds(kernel);
  }

  /** Examines a path. */
  public MountProbe probe(MountPath path) {
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Seen seen = look.at(path);
      if (seen == Unmounted.MISSING) {
        return new MountProbe.Missing();
      }
      if (seen == Unmounted.NOT_A_MOUNT) {
        return new MountProbe.NotAMount();
      }
      Optional<MountProbe> mounted = mounted(path, seen);
      if (mounted.isPresent()) {
        return mounted.get();
      }
    }
    throw elsewhere(path);
  }

  /** Returns the mount in which a path is, if one look shows it. */
  public Optional<MountRef.Identity> mountOf(MountPath path) {
    return look.mountOf(path);
  }

  /** Returns the mount on top at this path, if there is one. */
  public Optional<MountRecord> find(MountPath path) {
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Seen seen = look.at(path);
      if (seen instanceof Unmounted) {
        return Optional.empty();
      }
      Optional<MountRecord> record = record(path, seen);
      if (record.isPresent()) {
        return record;
      }
    }
    throw elsewhere(path);
  }

  /** Returns every mount. */
  public MountSnapshot list() {
    return list(TableReader.ALL);
  }

  /** Returns every mount that matches. */
  public MountSnapshot list(Predicate<MountRecord> filter) {
    return reader.read(filter);
  }

  /** Returns every mount that another process sees. */
  public MountSnapshot listOf(long process) {
    return TableReader.of(kernel, process).readText();
  }

  /**
   * Returns the present state of the mount that a reference was taken from; does not call its
   * filesystem.
   */
  public MountRef.Check check(MountRef ref) {
    Optional<MountPath> place = place(ref);
    if (place.isEmpty()) {
      return refAt(ref.path())
          .<MountRef.Check>map(MountRef.Check.Replaced::new)
          .orElseGet(MountRef.Check.Gone::new);
    }
    return place.get().equals(ref.path()) || leadsTo(place.get(), ref.path())
        ? new MountRef.Check.Present()
        : new MountRef.Check.Moved(new MountRef(place.get(), ref.bootId(), ref.identity()));
  }

  /** Returns the mounts that were made after this one and that match. */
  public List<MountRecord> newer(MountRef than, Predicate<MountRecord> filter) {
    return fewNewer(than).map(mounts::records).orElseGet(() -> list().newer(than)).stream()
        .filter(filter)
        .toList();
  }

  /**
   * Returns the numbers of the mounts after this one; empty if there are many, or the kernel has
   * none.
   */
  private Optional<long[]> fewNewer(MountRef than) {
    if (isOfAnotherBoot(than)) {
      return Optional.of(new long[0]);
    }
    if (!(than.identity() instanceof MountRef.Identity.Unique unique)) {
      return Optional.empty();
    }
    needUniqueIds(than);
    return mounts.path(unique.id()).isEmpty()
        ? Optional.of(new long[0])
        : Optional.of(ids.after(unique.id())).filter(newer -> newer.length <= FEW);
  }

  /** Returns the group from which a mount receives mounts if its master is not visible. */
  public OptionalInt propagateFrom(MountRef ref) {
    if (isOfAnotherBoot(ref)) {
      return OptionalInt.empty();
    }
    if (ref.identity() instanceof MountRef.Identity.Unique unique) {
      needUniqueIds(ref);
      return mounts.propagateFrom(unique.id());
    }
    return text.propagateFrom((MountRef.Identity.Reusable) ref.identity());
  }

  /** Returns the mounts that are directly on this one. */
  public List<MountRecord> children(MountRef ref) {
    if (isOfAnotherBoot(ref)) {
      return List.of();
    }
    if (ref.identity() instanceof MountRef.Identity.Unique unique) {
      needUniqueIds(ref);
      return mounts.records(ids.below(unique.id())).stream()
          .filter(each -> each.parentUniqueId().orElse(0) == unique.id())
          .toList();
    }
    List<MountRecord> all = reader.read(record -> true).records();
    return all.stream()
        .filter(record -> isSame((MountRef.Identity.Reusable) ref.identity(), record))
        .findFirst()
        .map(
            parent ->
                all.stream()
                    .filter(each -> each.parentId() == parent.id() && each.id() != parent.id())
                    .toList())
        .orElse(List.of());
  }

  /** Returns the probe of a mount that was seen; empty if it is gone already. */
  private Optional<MountProbe> mounted(MountPath path, Seen seen) {
    if (seen instanceof Seen.Numbered numbered && numbered.isUnique()) {
      return healthOf(numbered.id())
          .map(health -> mounted(path, new MountRef.Identity.Unique(numbered.id()), health));
    }
    return record(path, seen)
        .map(
            record ->
                mounted(
                    path,
                    record.ref().identity(),
                    seen.told().orElseGet(() -> health(record.type()))));
  }

  private MountProbe mounted(MountPath path, MountRef.Identity identity, MountProbe.Health health) {
    return new MountProbe.Mounted(new MountRef(path, kernel.bootId(), identity), health);
  }

  /** Returns the record of a mount that was seen; empty if it is gone already. */
  private Optional<MountRecord> record(MountPath path, Seen seen) {
    if (seen instanceof Seen.Numbered numbered) {
      // Between the look and the row another mount may have got the number; it has another path.
      return numbered.isUnique()
          ? mounts.record(numbered.id())
          : reader.read(record -> record.id() == numbered.id()).records().stream()
              .filter(record -> record.path().equals(path) || look.at(path).equals(seen))
              .findFirst();
    }
    if (seen instanceof Seen.Placed placed) {
      return reader.at(placed.place());
    }
    if (seen instanceof Seen.OutOfReach failed) {
      return Optional.of(
          reader
              .at(path)
              .orElseThrow(() -> PathLook.failure(path, failed.syscall(), failed.result())));
    }
    return Optional.empty();
  }

  /** Returns the mount that is at a path now; a path that cannot be walked has none. */
  private Optional<MountRef> refAt(MountPath path) {
    try {
      return probe(path) instanceof MountProbe.Mounted mounted
          ? Optional.of(mounted.ref())
          : Optional.empty();
    } catch (MountException e) {
      return switch (e.reason()) {
        case NOT_PERMITTED, SYMLINK, BROKEN, OUTSIDE -> Optional.empty();
        default -> throw e;
      };
    }
  }

  /**
   * Returns the health of a mount by its unique number; empty if it is gone or outside this
   * namespace.
   */
  private Optional<MountProbe.Health> healthOf(long id) {
    int place = (int) id & (REMEMBERED - 1);
    long entry = healths.get(place);
    if (entry >>> 1 == id) {
      return Optional.of((entry & 1) == 0 ? MountProbe.Health.OK : MountProbe.Health.UNKNOWN);
    }
    Optional<MountProbe.Health> health = mounts.type(id).map(KernelTable::health);
    health.ifPresent(each -> healths.set(place, id << 1 | (each == MountProbe.Health.OK ? 0 : 1)));
    return health;
  }

  /** Returns the health of a mount of this type. */
  private static MountProbe.Health health(KernelText type) {
    return FilesystemTypes.hasServer(new String(type.bytes(), StandardCharsets.US_ASCII))
        ? MountProbe.Health.UNKNOWN
        : MountProbe.Health.OK;
  }

  /** Returns the present path of the mount, from the kernel's table; empty if it is gone. */
  private Optional<MountPath> place(MountRef ref) {
    if (isOfAnotherBoot(ref)) {
      return Optional.empty();
    }
    if (ref.identity() instanceof MountRef.Identity.Unique unique) {
      needUniqueIds(ref);
      return mounts.path(unique.id());
    }
    MountRef.Identity.Reusable reusable = (MountRef.Identity.Reusable) ref.identity();
    return reader.read(record -> isSame(reusable, record)).records().stream()
        .map(MountRecord::path)
        .findFirst();
  }

  /**
   * Returns whether a path leads to that path through symbolic links, according to the mount that
   * is seen there.
   */
  private boolean leadsTo(MountPath place, MountPath path) {
    return refAt(path).flatMap(this::place).filter(place::equals).isPresent();
  }

  private boolean isOfAnotherBoot(MountRef ref) {
    return !ref.bootId().equals(kernel.bootId());
  }

  private void needUniqueIds(MountRef ref) {
    if (!kernel.features().hasUniqueIds()) {
      throw MountException.builder(
              Reason.UNSUPPORTED,
              "Checking "
                  + ref
                  + " failed: the reference was made with calls that this process cannot make. "
                  + "See MountCapabilities.system() for what prevents them.")
          .target(ref.path())
          .build();
    }
  }

  private static boolean isSame(MountRef.Identity.Reusable identity, MountRecord record) {
    return identity.equals(
        new MountRef.Identity.Reusable(record.id(), record.device(), record.root()));
  }

  private static MountException elsewhere(MountPath path) {
    return MountException.builder(
            Reason.OUTSIDE,
            "Looking at "
                + path
                + " failed: the mount there is not in the table of this mount namespace, or mounts"
                + " come and go there all the time. Name a path that stays in this namespace, or"
                + " ask again.")
        .target(path)
        .build();
  }
}
