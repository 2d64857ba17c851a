package io.csi4j.testkit.mount;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads the mounts of one namespace. */
final class MemoryTable implements MountTable {

  private final MemoryNamespace namespace;
  private final MemoryKernel kernel;

  MemoryTable(MemoryNamespace namespace) {
    this.namespace = namespace;
    this.kernel = namespace.kernel();
  }

  @Override
  public MountProbe probe(MountPath path) {
    return kernel.call(
        () -> {
          MountedFile place = look(path);
          if (place == null) {
            return new MountProbe.Missing();
          }
          return place.isMountRoot()
              ? new MountProbe.Mounted(
                  new MountRef(path, kernel.boot(), identity(place.mount())), health(place.mount()))
              : new MountProbe.NotAMount();
        });
  }

  @Override
  public Optional<MountRef.Identity> mountOf(MountPath path) {
    return kernel.call(
        () -> {
          MountedFile place = look(path);
          return place == null ? Optional.empty() : Optional.of(identity(place.mount()));
        });
  }

  @Override
  public Optional<MountRecord> find(MountPath path) {
    return kernel.call(
        () -> {
          MountedFile place = look(path);
          return place == null || !place.isMountRoot()
              ? Optional.empty()
              : Optional.of(Records.record(place.mount(), kernel.boot()));
        });
  }

  @Override
  public MountSnapshot list() {
    return list(record -> true);
  }

  @Override
  public MountSnapshot list(Predicate<MountRecord> filter) {
    return kernel.call(
        () -> {
          pass("Reading the table of mounts");
          return snapshot(read(filter), filter);
        });
  }

  @Override
  public MountSnapshot listOf(long process) {
    throw MountException.builder(
            MountException.Reason.NO_MOUNT_TABLE,
            "Reading the mounts of process "
                + process
                + " failed: a kernel in memory has no processes. Ask the table of its namespace.")
        .build();
  }

  @Override
  public MountRef.Check check(MountRef ref) {
    return kernel.call(
        () -> {
          pass("Checking " + ref);
          Mount mount = mount(ref);
          MountedFile there = placeOrNull(ref.path());
          boolean isMount = there != null && there.isMountRoot();
          if (mount != null) {
            boolean leadsThere = isMount && there != null && there.mount() == mount;
            return leadsThere || mount.path().equals(ref.path())
                ? new MountRef.Check.Present()
                : new MountRef.Check.Moved(
                    new MountRef(mount.path(), ref.bootId(), ref.identity()));
          }
          return isMount && there != null
              ? new MountRef.Check.Replaced(
                  new MountRef(ref.path(), kernel.boot(), identity(there.mount())))
              : new MountRef.Check.Gone();
        });
  }

  @Override
  public OptionalInt propagateFrom(MountRef ref) {
    return kernel.call(
        () -> {
          pass("Reading where mounts on " + ref + " come from");
          Mount mount = mount(ref);
          return mount == null ? OptionalInt.empty() : Records.propagateFrom(mount);
        });
  }

  @Override
  public List<MountRecord> children(MountRef ref) {
    return kernel.call(
        () -> {
          pass("Reading the mounts on " + ref);
          Mount mount = mount(ref);
          return mount == null
              ? List.of()
              : mount.children.values().stream()
                  .sorted((a, b) -> Long.compare(a.uniqueId, b.uniqueId))
                  .map(child -> Records.record(child, kernel.boot()))
                  .toList();
        });
  }

  /** The mount that the reference names, if it still exists; the kernel's lock is held. */
  @Nullable Mount mount(MountRef ref) {
    if (!ref.bootId().equals(kernel.boot())) {
      return null;
    }
    if (ref.identity() instanceof MountRef.Identity.Unique unique) {
      return namespace.current().get(unique.id());
    }
    MountRef.Identity.Reusable wanted = (MountRef.Identity.Reusable) ref.identity();
    for (Mount mount : namespace.current().all()) {
      MountRecord record = Records.record(mount, kernel.boot());
      if (wanted.equals(
          new MountRef.Identity.Reusable(record.id(), record.device(), record.root()))) {
        return mount;
      }
    }
    return null;
  }

  private static MountRef.Identity identity(Mount mount) {
    return new MountRef.Identity.Unique(mount.uniqueId);
  }

  private static MountProbe.Health health(Mount mount) {
    return switch (mount.filesystem.server) {
      case DEAD -> MountProbe.Health.DEAD;
      case DENYING -> MountProbe.Health.DENIED;
      case HUNG -> MountProbe.Health.UNKNOWN;
      case ANSWERING ->
          mount.filesystem.backing == Backing.SERVER
              ? MountProbe.Health.UNKNOWN
              : MountProbe.Health.OK;
    };
  }

  private void pass(String doing) {
    pass(KernelCall.LIST, doing, "listmount", MountPath.ROOT);
  }

  private void pass(KernelCall call, String doing, String syscall, MountPath path) {
    boolean unused =
        KernelErrors.explained(
            doing,
            syscall,
            path,
            () -> {
              kernel.faults.pass(call);
              return true;
            });
  }

  /** Returns the file at a path, or null if there is none. */
  private @Nullable MountedFile look(MountPath path) {
    String doing = "Looking at " + path;
    pass(KernelCall.LOOK, doing, "statx", path);
    try {
      return new Walker(namespace.current()).followParents(path);
    } catch (KernelRefusal e) {
      return switch (e.number()) {
        case KernelRefusal.ENOENT, KernelRefusal.ENOTDIR -> null;
        case KernelRefusal.ELOOP, KernelRefusal.ENAMETOOLONG ->
            throw KernelErrors.of(doing, "statx", e, path).build();
        default -> byText(path).orElseThrow(() -> KernelErrors.of(doing, "statx", e, path).build());
      };
    }
  }

  /** Returns the mount that the table lists at a path that cannot be reached. */
  private Optional<MountedFile> byText(MountPath path) {
    return namespace.current().all().stream()
        .filter(mount -> mount.path().equals(path))
        .map(Mount::top)
        .findFirst()
        .map(mount -> new MountedFile(mount, mount.root));
  }

  private @Nullable MountedFile placeOrNull(MountPath path) {
    try {
      return look(path);
    } catch (MountException e) {
      return null;
    }
  }

  private Map<Long, MountRecord> read(Predicate<MountRecord> filter) {
    Map<Long, MountRecord> records = new LinkedHashMap<>();
    for (Mount mount : namespace.current().all()) {
      MountRecord record = Records.record(mount, kernel.boot());
      if (filter.test(record)) {
        records.put(mount.uniqueId, record);
      }
    }
    return records;
  }

  private MountSnapshot snapshot(Map<Long, MountRecord> records, Predicate<MountRecord> filter) {
    return MountSnapshot.of(List.copyOf(records.values()), 0, old -> refresh(records, filter));
  }

  private MountSnapshot.Changes refresh(
      Map<Long, MountRecord> before, Predicate<MountRecord> filter) {
    return kernel.call(
        () -> {
          pass("Reading what came and went");
          Map<Long, MountRecord> now = new LinkedHashMap<>();
          List<MountRecord> added = new ArrayList<>();
          Map<Long, MountRecord> gone = new LinkedHashMap<>(before);
          for (Mount mount : namespace.current().all()) {
            MountRecord known = before.get(mount.uniqueId);
            if (known != null && known.ref().bootId().equals(kernel.boot())) {
              now.put(mount.uniqueId, known);
              gone.remove(mount.uniqueId);
              continue;
            }
            MountRecord record = Records.record(mount, kernel.boot());
            if (filter.test(record)) {
              now.put(mount.uniqueId, record);
              added.add(record);
            }
          }
          return new MountSnapshot.Changes(
              snapshot(now, filter), added, List.copyOf(gone.values()));
        });
  }
}
