package io.csi4j.testkit.internal.hostpath;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import java.io.IOException;
import java.nio.file.Path;

/** The tmpfs mounts that contain volumes. */
final class Tmpfs {

  private static final long PAGE = 4096;

  private final Path data;
  private final Mounts mounts;
  private final Programs programs;

  Tmpfs(Path data, Mounts mounts, Programs programs) {
    this.data = data;
    this.mounts = mounts;
    this.programs = programs;
  }

  /** Returns the source of a volume's tmpfs in the mount table, which is unique to the volume. */
  KernelText source(String id) {
    return KernelText.of("csi4j-hostpath-" + Layout.digest(data + "\0" + id));
  }

  /**
   * Mounts a tmpfs of this size, to which every user may write. Does nothing if it is mounted
   * already.
   */
  void mount(String id, Path at, long bytes) {
    mounts.mount(
        FilesystemRequest.builder("tmpfs", source(id), MountPath.of(at))
            .flag(MountFlag.NOSUID)
            .flag(MountFlag.NODEV)
            .option("mode=0777")
            .option("size=" + pages(bytes))
            .build());
    mounts.setPropagation(MountPath.of(at), Propagation.PRIVATE, false);
  }

  /**
   * Sets the size of a mounted tmpfs. The mount library cannot do this, so a program does. The
   * program gets the source and all options; otherwise it would repeat those of the table, and a
   * user namespace refuses the owner among them.
   */
  void resize(String id, Path at, long bytes) throws IOException {
    programs.run(
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "remount,nosuid,nodev,size=" + pages(bytes),
        source(id).toString(),
        at.toString());
  }

  /** Returns the size in complete pages, at least one: a size of 0 would mean no limit. */
  private static long pages(long bytes) {
    return bytes > Long.MAX_VALUE - PAGE ? bytes : Math.max(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
  }
}
