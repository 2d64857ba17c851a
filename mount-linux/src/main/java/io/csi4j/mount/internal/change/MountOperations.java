package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import java.time.Duration;

/**
 * The changes to the mounts of one kernel, each put on the pool: they do what {@link
 * io.csi4j.mount.Mounts} promises.
 */
public final class MountOperations {

  private final Kernel kernel;
  private final KernelTable table;
  private final MountPath base;
  private final MountCallPool pool;
  private final TargetTurns turns;
  private final Walk walk;
  private final Unmounter unmounter;
  private final Cleaner cleaner;

  /** The operations with a pool of their own. */
  public MountOperations(Kernel kernel, KernelTable table, MountSettings settings) {
    this(
        kernel,
        table,
        MountPath.ROOT,
        new MountCallPool(settings),
        new TargetTurns(settings.deadline()));
  }

  private MountOperations(
      Kernel kernel, KernelTable table, MountPath base, MountCallPool pool, TargetTurns turns) {
    this.kernel = kernel;
    this.table = table;
    this.base = base;
    this.pool = pool;
    this.turns = turns;
    this.walk = new Walk(kernel, base);
    unmounter = new Unmounter(kernel, table, walk, pool, turns, Pauser.SYSTEM);
    cleaner = new Cleaner(kernel, table, walk, pool, unmounter);
  }

  /** The operations on targets beneath a trusted directory, on the same pool. */
  public MountOperations beneath(MountPath base) {
    return new MountOperations(kernel, table, base, pool, turns);
  }

  /** Binds a directory or file to a second place. */
  public MountResult bind(BindRequest request) {
    return turns.call(pool, Bind.doing(request), request.target(), new Bind(kernel, walk, request));
  }

  /** Mounts a filesystem by its type. */
  public MountResult mount(FilesystemRequest request) {
    return turns.call(
        pool,
        FilesystemMount.doing(request),
        request.target(),
        new FilesystemMount(kernel, walk, request));
  }

  /** Forbids writing through the mount at this path, and through those below it if recursive. */
  public MountRef setReadOnly(MountPath path, boolean recursive) {
    String doing = "Making " + path + " read-only";
    Attributes attributes = new Attributes(kernel, walk, base);
    return pool.call(
        doing, Duration.ZERO, gone -> attributes.setReadOnly(doing, path, recursive, gone));
  }

  /** Sets with whom the mount at this path, and those below it if recursive, shares mounts. */
  public void setPropagation(MountPath path, Propagation propagation, boolean recursive) {
    String doing = "Making " + path + " " + propagation.kernelWord();
    Attributes attributes = new Attributes(kernel, walk, base);
    pool.call(
        doing,
        Duration.ZERO,
        gone -> attributes.setPropagation(doing, path, propagation, recursive, gone));
  }

  /** Takes away the mount on top at this path. */
  public UnmountResult unmount(MountPath path, UnmountPolicy policy) {
    return unmounter.unmount(path, policy);
  }

  /** Takes away this mount and no other. */
  public UnmountResult unmount(MountRef ref, UnmountPolicy policy) {
    return unmounter.unmount(ref, policy);
  }

  /** Takes away every mount at this path, then the one empty directory or file that is left. */
  public CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    return cleaner.cleanup(path, policy);
  }

  /** Searches for the holders of this mount. */
  public Holders whoHolds(MountRef ref) {
    return unmounter.whoHolds(ref);
  }

  /** How many calls ran past their deadline and have not come back from the kernel. */
  public int stuckCalls() {
    return pool.stuck();
  }
}
