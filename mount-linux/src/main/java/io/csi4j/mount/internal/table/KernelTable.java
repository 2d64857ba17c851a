package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountHealth;
import io.csi4j.mount.model.MountIdentity;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.RefCheck;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** The table of one kernel: it does what {@link io.csi4j.mount.MountTable} promises. */
public final class KernelTable {

  /** How often a path is looked at again because its mount went away meanwhile. */
  private static final int MOST_LOOKS = 10;

  private final Kernel kernel;
  private final TableReader reader;
  private final StatmountReader mounts;
  private final VisibleMounts visible;
  private final HealthByType healths;
  private final PathLook look;
  private final RefChecker checker;

  public KernelTable(Kernel kernel) {
    this(
        kernel,
        FilesystemTypes.watched(() -> ProcFiles.read("/proc/filesystems"), System::nanoTime));
  }

  /** A table that is careful when it is told to be. */
  KernelTable(Kernel kernel, BooleanSupplier careful) {
    this.kernel = kernel;
    this.reader = new TableReader(kernel);
    this.mounts = new StatmountReader(kernel);
    this.visible = new VisibleMounts(reader);
    this.healths = new HealthByType(mounts);
    this.look = PathLook.of(kernel, visible, careful);
    this.checker = new RefChecker(kernel, visible, mounts, this::refAt);
  }

  /** Looks at a path. */
  public MountProbe probe(MountPath path) {
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Seen seen = look.at(path);
      if (seen instanceof Seen.Missing) {
        return new MountProbe.Missing();
      }
      if (seen instanceof Seen.NotAMount) {
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
      if (seen instanceof Seen.Missing || seen instanceof Seen.NotAMount) {
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

  /** The present state of the mount that a reference was taken of. */
  public RefCheck check(MountRef ref) {
    return checker.check(ref);
  }

  /** The mounts that are directly on this one. */
  public List<MountRecord> children(MountRef ref) {
    return checker.children(ref);
  }

  /** The probe of a mount that was seen; nothing if it is gone already. */
  private Optional<MountProbe> mounted(MountPath path, Seen seen) {
    if (seen instanceof Seen.Numbered numbered && numbered.isUnique()) {
      return healths
          .of(numbered.id())
          .map(health -> mounted(path, new MountIdentity.Unique(numbered.id()), health));
    }
    return record(path, seen)
        .map(record -> mounted(path, record.ref().identity(), health(seen, record)));
  }

  private MountProbe mounted(MountPath path, MountIdentity identity, MountHealth health) {
    return new MountProbe.Mounted(new MountRef(path, kernel.bootId(), identity), health);
  }

  /** The record of a mount that was seen; nothing if it is gone already. */
  private Optional<MountRecord> record(MountPath path, Seen seen) {
    if (seen instanceof Seen.Numbered numbered) {
      // Between the look and the row another mount may have got the number; it has another path.
      return numbered.isUnique()
          ? mounts.record(numbered.id())
          : visible.matching(record -> record.id() == numbered.id()).stream()
              .filter(record -> record.path().equals(path) || look.at(path).equals(seen))
              .findFirst();
    }
    if (seen instanceof Seen.Placed placed) {
      return visible.at(placed.place());
    }
    if (seen instanceof Seen.OutOfReach failed) {
      return Optional.of(
          visible
              .at(path)
              .orElseThrow(() -> LookErrors.failure(path, failed.syscall(), failed.result())));
    }
    return Optional.empty();
  }

  private static MountHealth health(Seen seen, MountRecord record) {
    Optional<MountHealth> told = Optional.empty();
    if (seen instanceof Seen.Numbered numbered) {
      told = numbered.told();
    } else if (seen instanceof Seen.Placed placed) {
      told = placed.told();
    } else if (seen instanceof Seen.OutOfReach failed) {
      told = Optional.of(LookErrors.health(failed.result()));
    }
    return told.orElseGet(() -> HealthByType.of(record.type()));
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
