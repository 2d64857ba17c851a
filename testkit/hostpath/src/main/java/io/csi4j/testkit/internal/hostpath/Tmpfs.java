package io.csi4j.testkit.internal.hostpath;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import java.io.IOException;
import java.nio.file.Path;

/** The filesystems in memory that volumes are in. */
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

  /** Returns the source of a volume's tmpfs in the table of mounts: no other has it. */
  KernelText source(String id) {
    return KernelText.of("csi4j-hostpath-" + Layout.digest(data + "\0" + id));
  }

  /** Mounts one of this size, which everybody may write to. If it is there already, that is it. */
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
   * Sets the size of one that is mounted. The library that mounts cannot, so a program does. It is
   * told the source and all options: else it repeats those of the table, of which a user namespace
   * refuses the owner.
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

  /** Whole pages, and one at least: a size of 0 would be none. */
  private static long pages(long bytes) {
    return bytes > Long.MAX_VALUE - PAGE ? bytes : Math.max(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
  }
}
