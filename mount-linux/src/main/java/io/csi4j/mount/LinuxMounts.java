package io.csi4j.mount;

import io.csi4j.mount.internal.change.MountOperations;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;

/** The changes to the mounts of a Linux kernel, each told to the flight recorder. */
final class LinuxMounts implements Mounts {

  private final MountOperations operations;

  LinuxMounts(MountOperations operations) {
    this.operations = operations;
  }

  @Override
  public Mounts beneath(MountPath base) {
    return new LinuxMounts(operations.beneath(base));
  }

  @Override
  public MountResult bind(BindRequest request) {
    return MountCallEvent.around(
        "bind",
        request.source(),
        request.target(),
        LinuxMounts::outcome,
        () -> operations.bind(request));
  }

  @Override
  public MountResult mount(FilesystemRequest request) {
    return MountCallEvent.around(
        "mount",
        request.source(),
        request.target(),
        LinuxMounts::outcome,
        () -> operations.mount(request));
  }

  @Override
  public MountRef setReadOnly(MountPath path, boolean recursive) {
    return MountCallEvent.around(
        "setReadOnly", "", path, ref -> "DONE", () -> operations.setReadOnly(path, recursive));
  }

  @Override
  public void setPropagation(MountPath path, Propagation propagation, boolean recursive) {
    MountCallEvent.around(
        "setPropagation",
        "",
        path,
        done -> propagation.name(),
        () -> {
          operations.setPropagation(path, propagation, recursive);
          return true;
        });
  }

  @Override
  public UnmountResult unmount(MountPath path, UnmountPolicy policy) {
    return MountCallEvent.around(
        "unmount", "", path, LinuxMounts::outcome, () -> operations.unmount(path, policy));
  }

  @Override
  public UnmountResult unmount(MountRef ref, UnmountPolicy policy) {
    return MountCallEvent.around(
        "unmount", "", ref.path(), LinuxMounts::outcome, () -> operations.unmount(ref, policy));
  }

  @Override
  public CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    return MountCallEvent.around(
        "cleanup",
        "",
        path,
        result -> result.outcome().name(),
        () -> operations.cleanup(path, policy));
  }

  @Override
  public Holders whoHolds(MountRef ref) {
    return operations.whoHolds(ref);
  }

  @Override
  public int stuckCalls() {
    return operations.stuckCalls();
  }

  private static String outcome(MountResult result) {
    return result.created() ? "CREATED" : "THERE_ALREADY";
  }

  private static String outcome(UnmountResult result) {
    return result.step().name();
  }
}
