package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;

/** The meaning of the errors of a bind. */
final class BindFailure {

  private BindFailure() {}

  static MountException of(String doing, String call, int result, BindRequest request) {
    MountException.Builder failure =
        switch (-result) {
          case Abi.EINVAL ->
              MountException.builder(
                      Reason.BAD_SOURCE,
                      doing
                          + " failed: the source is in a mount that is unbindable, or mounts below"
                          + " it are locked by the namespace above. Bind another directory, or"
                          + " bind it with the mounts below it.")
                  .syscall(call, new Errno(Abi.EINVAL));
          case Abi.ENOENT ->
              MountException.builder(
                      Reason.NOT_FOUND,
                      doing
                          + " failed: the source or the target was removed. Make it again, or find"
                          + " out who removes it.")
                  .syscall(call, new Errno(Abi.ENOENT));
          default -> ErrnoMeaning.of(doing, call, result, request.target());
        };
    return failure
        .source(KernelText.ofBytes(request.source().bytes()))
        .target(request.target())
        .build();
  }

  static MountException wrongKind(String doing, BindRequest request, boolean isDirectory) {
    return MountException.builder(
            Reason.WRONG_KIND,
            doing
                + " failed: the source is "
                + (isDirectory
                    ? "a directory and the target is not"
                    : "no directory, the target is")
                + ". Bind directories on directories and files on files.")
        .source(KernelText.ofBytes(request.source().bytes()))
        .target(request.target())
        .build();
  }

  static MountException exchanged(String doing, BindRequest request) {
    return MountException.builder(
            Reason.OTHER,
            doing
                + " was taken back: the target was exchanged at the same moment."
                + " Find out who else changes it, and try again.")
        .source(KernelText.ofBytes(request.source().bytes()))
        .target(request.target())
        .build();
  }
}
