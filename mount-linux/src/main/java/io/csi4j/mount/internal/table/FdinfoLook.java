package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The look by the number of the mount that an open file is in, compared with that of the directory
 * above (Linux 3.15). Devices are not compared: a bind mount has the device of its source.
 */
final class FdinfoLook implements PathLook {

  private static final int FLAGS = Abi.O_PATH | Abi.O_NOFOLLOW | Abi.O_CLOEXEC;
  private static final String FIELD = "mnt_id:";

  private final Syscalls calls;
  private final VisibleMounts mounts;

  FdinfoLook(Syscalls calls, VisibleMounts mounts) {
    this.calls = calls;
    this.mounts = mounts;
  }

  @Override
  public Seen at(MountPath path) {
    return path.isRoot() ? mounts.root() : ParentDirectory.with(calls, path, in -> look(path, in));
  }

  private Seen look(MountPath path, ParentDirectory parent) {
    int opened = calls.openat(parent.descriptor(), parent.name(), FLAGS, 0);
    if (opened < 0) {
      return LookErrors.seen(path, "openat", opened);
    }
    try {
      int id = mountId(opened);
      return id == mountId(parent.descriptor())
          ? Seen.NOT_A_MOUNT
          : new Seen.Numbered(id, false, Optional.empty());
    } catch (IOException e) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              "Looking at "
                  + path
                  + " failed: /proc does not tell which mount it is in ("
                  + PrintableText.escape(String.valueOf(e.getMessage()))
                  + "). See that proc is mounted at /proc, and that this process may open more"
                  + " files.")
          .target(path)
          .cause(e)
          .build();
    } finally {
      calls.close(opened);
    }
  }

  private static int mountId(int descriptor) throws IOException {
    byte[] info = ProcFiles.read("/proc/thread-self/fdinfo/" + descriptor);
    return new String(info, StandardCharsets.US_ASCII)
        .lines()
        .filter(line -> line.startsWith(FIELD))
        .map(line -> Integer.parseInt(line.substring(FIELD.length()).strip()))
        .findFirst()
        .orElseThrow(() -> new IOException("fdinfo has no " + FIELD));
  }
}
