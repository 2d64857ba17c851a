package io.csi4j.mount.internal.change;

import io.csi4j.mount.BindRequest;
import io.csi4j.mount.CleanupResult;
import io.csi4j.mount.FilesystemRequest;
import io.csi4j.mount.Holders;
import io.csi4j.mount.MountPath;
import io.csi4j.mount.MountRef;
import io.csi4j.mount.MountResult;
import io.csi4j.mount.MountSettings;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.Propagation;
import io.csi4j.mount.UnmountPolicy;
import io.csi4j.mount.UnmountResult;
import io.csi4j.mount.internal.kernel.Kernel;
import java.time.Duration;

/** The changes to the mounts of the running kernel: what is asked for, put on the pool. */
public final class LinuxMounts implements Mounts {

  private final Kernel kernel;
  private final MountTable table;
  private final MountPath base;
  private final Workers workers;
  private final Turns turns;
  private final Walk walk;
  private final Unmounter unmounter;
  private final Cleaner cleaner;

  public LinuxMounts(Kernel kernel, MountTable table, MountSettings settings) {
    this(kernel, table, MountPath.ROOT, new Workers(settings), new Turns(settings.deadline()));
  }

  private LinuxMounts(
      Kernel kernel, MountTable table, MountPath base, Workers workers, Turns turns) {
    this.kernel = kernel;
    this.table = table;
    this.base = base;
    this.workers = workers;
    this.turns = turns;
    this.walk = new Walk(kernel, base);
    unmounter = new Unmounter(kernel, table, walk, workers, turns, Pauser.SYSTEM);
    cleaner = new Cleaner(kernel, table, walk, workers, unmounter);
  }

  @Override
  public Mounts beneath(MountPath base) {
    return new LinuxMounts(kernel, table, base, workers, turns);
  }

  @Override
  public MountResult bind(BindRequest request) {
    String doing = Bind.doing(request);
    return MountCallEvent.around(
        "bind",
        request.source(),
        request.target(),
        LinuxMounts::outcome,
        () -> turns.call(workers, doing, request.target(), new Bind(kernel, walk, request)));
  }

  @Override
  public MountResult mount(FilesystemRequest request) {
    String doing = FilesystemMount.doing(request);
    return MountCallEvent.around(
        "mount",
        request.source(),
        request.target(),
        LinuxMounts::outcome,
        () ->
            turns.call(
                workers, doing, request.target(), new FilesystemMount(kernel, walk, request)));
  }

  @Override
  public MountRef setReadOnly(MountPath path, boolean recursive) {
    String doing = "Making " + path + " read-only";
    Attributes attributes = new Attributes(kernel, walk, base);
    return MountCallEvent.around(
        "setReadOnly",
        "",
        path,
        ref -> "DONE",
        () ->
            workers.call(
                doing,
                Duration.ZERO,
                gone -> attributes.setReadOnly(doing, path, recursive, gone)));
  }

  @Override
  public void setPropagation(MountPath path, Propagation propagation, boolean recursive) {
    String doing = "Making " + path + " " + propagation.kernelWord();
    Attributes attributes = new Attributes(kernel, walk, base);
    MountCallEvent.around(
        "setPropagation",
        "",
        path,
        done -> propagation.name(),
        () ->
            workers.call(
                doing,
                Duration.ZERO,
                gone -> attributes.setPropagation(doing, path, propagation, recursive, gone)));
  }

  @Override
  public UnmountResult unmount(MountPath path, UnmountPolicy policy) {
    return MountCallEvent.around(
        "unmount", "", path, LinuxMounts::outcome, () -> unmounter.unmount(path, policy));
  }

  @Override
  public UnmountResult unmount(MountRef ref, UnmountPolicy policy) {
    return MountCallEvent.around(
        "unmount", "", ref.path(), LinuxMounts::outcome, () -> unmounter.unmount(ref, policy));
  }

  @Override
  public CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    return MountCallEvent.around(
        "cleanup",
        "",
        path,
        result -> result.outcome().name(),
        () -> cleaner.cleanup(path, policy));
  }

  @Override
  public Holders whoHolds(MountRef ref) {
    return unmounter.whoHolds(ref);
  }

  @Override
  public int stuckCalls() {
    return workers.stuck();
  }

  private static String outcome(MountResult result) {
    return result.created() ? "CREATED" : "THERE_ALREADY";
  }

  private static String outcome(UnmountResult result) {
    return result.step().name();
  }
}
