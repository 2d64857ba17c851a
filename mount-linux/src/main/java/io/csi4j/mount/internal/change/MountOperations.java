package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.change.UnmountSteps.Pauser;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Changes the mounts of one kernel. Each change runs on the pool and is reported to the flight
 * recorder. Implements the contract of {@link io.csi4j.mount.Mounts}.
 */
public class MountOperations {

  private final Kernel kernel;
  private final KernelTable table;
  private final MountCallPool pool;
  private final TargetTurns turns;
  private final Duration deadline;
  private final Walk walk;
  private final Unmounter unmounter;

  /** Creates the operations with a separate pool. */
  protected MountOperations(Kernel kernel, KernelTable table, MountSettings settings) {
    this(
        kernel,
        table,
        MountPath.ROOT,
        new MountCallPool(settings),
        new TargetTurns(settings.deadline()),
        settings.deadline());
  }

  /** Creates the operations on targets beneath a trusted directory, on the same pool. */
  protected MountOperations(MountOperations origin, MountPath base) {
    this(origin.kernel, origin.table, base, origin.pool, origin.turns, origin.deadline);
  }

  private MountOperations(
      Kernel kernel,
      KernelTable table,
      MountPath base,
      MountCallPool pool,
      TargetTurns turns,
      Duration deadline) {
    this.kernel = kernel;
    this.table = table;
    this.pool = pool;
    this.turns = turns;
    this.deadline = deadline;
    this.walk = new Walk(kernel, base);
    unmounter = new Unmounter(kernel, table, walk, pool, turns, Pauser.SYSTEM);
  }

  /** Binds a directory or file to a second path. */
  public MountResult bind(BindRequest request) {
    return MountCallEvent.around(
        "bind",
        request.source(),
        request.target(),
        MountOperations::outcome,
        () -> inTurn(new Bind(kernel, walk, request)));
  }

  /** Mounts a filesystem by its type. */
  public MountResult mount(FilesystemRequest request) {
    return MountCallEvent.around(
        "mount",
        request.source(),
        request.target(),
        MountOperations::outcome,
        () -> inTurn(new FilesystemMount(kernel, walk, request)));
  }

  private MountResult inTurn(NewMount work) {
    return turns.call(pool, work.doing, work.target, work);
  }

  /** Forbids writing through the mount at this path, and through those below it if recursive. */
  public MountRef setReadOnly(MountPath path, boolean recursive) {
    String doing = "Making " + path + " read-only";
    Remount remount = new Remount(kernel, walk, new MountOf(kernel));
    return MountCallEvent.around(
        "setReadOnly",
        "",
        path,
        ref -> "DONE",
        () ->
            pool.call(
                doing, Duration.ZERO, gone -> remount.setReadOnly(doing, path, recursive, gone)));
  }

  /** Sets the propagation of the mount at this path, and of those below it if recursive. */
  public void setPropagation(MountPath path, Propagation propagation, boolean recursive) {
    String doing = "Making " + path + " " + propagation.kernelWord();
    Remount remount = new Remount(kernel, walk, new MountOf(kernel));
    MountCallEvent.around(
        "setPropagation",
        "",
        path,
        done -> propagation.name(),
        () ->
            pool.call(
                doing,
                Duration.ZERO,
                gone -> remount.setPropagation(doing, path, propagation, recursive, gone)));
  }

  /** Unmounts the mount on top at this path. */
  public UnmountResult unmount(MountPath path, UnmountPolicy policy) {
    return MountCallEvent.around(
        "unmount", "", path, MountOperations::outcome, () -> unmounter.unmount(path, policy));
  }

  /** Unmounts this mount and no other. */
  public UnmountResult unmount(MountRef ref, UnmountPolicy policy) {
    return MountCallEvent.around(
        "unmount", "", ref.path(), MountOperations::outcome, () -> unmounter.unmount(ref, policy));
  }

  /**
   * Unmounts every mount at this path, then removes the one empty directory or file that is left.
   */
  public CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    return MountCallEvent.around(
        "cleanup",
        "",
        path,
        result -> result.outcome().name(),
        () -> unmounter.cleanup(path, policy));
  }

  /** Opens the root of the mount on top at this path, and holds it open. */
  public OpenPath open(MountPath path) {
    return HeldPath.open(kernel, walk, pool, path);
  }

  /** Changes the owner of the files of the mount on top at this path to a user or group. */
  public OwnershipResult setOwnership(
      MountPath path, FileOwnership wish, Consumer<? super OwnershipResult> progress) {
    return MountCallEvent.around(
        "setOwnership",
        "",
        path,
        result -> result.outcome().name(),
        () -> {
          String doing = OwnershipPass.doing(path, wish);
          try (HeldPath mount = HeldPath.open(kernel, walk, pool, path)) {
            MountCallPool own = new MountCallPool(new MountSettings(deadline, 1));
            Descriptor root = mount.use();
            return own.call(
                doing,
                wish.maxTime(),
                gone -> new OwnershipPass(kernel, path, wish, progress, gone).run(root),
                mount::used);
          }
        });
  }

  /** Searches for the holders of this mount. */
  public Holders whoHolds(MountRef ref) {
    return unmounter.whoHolds(ref);
  }

  /**
   * Returns the number of calls that passed their deadline and have not returned from the kernel.
   */
  public int stuckCalls() {
    return pool.stuck();
  }

  private static String outcome(MountResult result) {
    return result.created() ? "CREATED" : "THERE_ALREADY";
  }

  private static String outcome(UnmountResult result) {
    return result.step().name();
  }
}
