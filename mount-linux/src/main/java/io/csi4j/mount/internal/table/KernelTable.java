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

/** The table of one kernel: it does what {@link io.csi4j.mount.MountTable} promises. */
public class KernelTable {

  /** How often a path is looked at again because its mount went away meanwhile. */
  private static final int MOST_LOOKS = 10;

  /** So many mounts one by one cost about what a table of some thousands does. */
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
   * The health that was told of a mount by its type, remembered by the number that no other gets,
   * for a number of mounts: its type never changes, and reading it costs more than the look at its
   * path. In each place is the last number that belongs there, doubled, plus one if a server
   * answers.
   */
  private final AtomicLongArray healths = new AtomicLongArray(REMEMBERED);

  public KernelTable(Kernel kernel) {
    this(
        kernel,
        FilesystemTypes.watched(() -> ProcFiles.read("/proc/filesystems"), System::nanoTime));
  }

  /** A table that is careful when it is told to be. */
  protected KernelTable(Kernel kernel, BooleanSupplier careful) {
    this.kernel = kernel;
    this.reader = new TableReader(kernel);
    this.text = new MountInfoReader(kernel);
    this.mounts = new StatmountReader(kernel);
    this.look = new PathLook(kernel, reader, careful);
    this.ids = new MountIds(kernel);
  }

  /** Looks at a path. */
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

  /** The mount on top at this path, if there is one. */
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

  /** Every mount. */
  public MountSnapshot list() {
    return list(TableReader.ALL);
  }

  /** Every mount that this accepts. */
  public MountSnapshot list(Predicate<MountRecord> filter) {
    return reader.read(filter);
  }

  /** Every mount that another process sees. */
  public MountSnapshot listOf(long process) {
    return TableReader.of(kernel, process).readText();
  }

  /** The present state of the mount that a reference was taken of; its filesystem is not asked. */
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

  /** The mounts that were made after this one, and that this accepts. */
  public List<MountRecord> newer(MountRef than, Predicate<MountRecord> filter) {
    return fewNewer(than).map(mounts::records).orElseGet(() -> list().newer(than)).stream()
        .filter(filter)
        .toList();
  }

  /**
   * The numbers of the mounts after this one; nothing if there are many, or the kernel has none.
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

  /** The group from which mounts reach a mount whose master is not seen. */
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

  /** The mounts that are directly on this one. */
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

  /** The probe of a mount that was seen; nothing if it is gone already. */
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

  /** The record of a mount that was seen; nothing if it is gone already. */
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

  /** The mount that is at a path now; a path that cannot be walked has none. */
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

  /** The health of a mount by its unique number; nothing if it is gone or out of this namespace. */
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

  /** The health of any mount of this type. */
  private static MountProbe.Health health(KernelText type) {
    return FilesystemTypes.hasServer(new String(type.bytes(), StandardCharsets.US_ASCII))
        ? MountProbe.Health.UNKNOWN
        : MountProbe.Health.OK;
  }

  /** Where the mount is now, by the kernel's table; nothing if it is gone. */
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

  /** Whether a path leads to that place by symbolic links, as a mount that is seen there says. */
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
                  + " failed: it was taken by calls that this process cannot make. See"
                  + " MountCapabilities.system() for what keeps them from it.")
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
