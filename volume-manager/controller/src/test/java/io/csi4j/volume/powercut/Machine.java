package io.csi4j.volume.powercut;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The machine whose power is cut: its disk appears at one path, life after life, and each life is
 * another boot. Needs root, loop devices, and a mount namespace of its own.
 */
final class Machine implements AutoCloseable {

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Far longer than a filesystem is held after its last user. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

  private final Syscalls calls = RunningKernel.kernel().calls();
  private final FilesystemKind kind;
  private final Path disk;
  private final Path boot;
  private final Path directory;
  private int images;

  /**
   * A machine that is off.
   *
   * @param directory where its disk appears and its images are, best a tmpfs
   */
  Machine(Path directory, FilesystemKind kind) throws IOException {
    this.directory = directory;
    this.kind = kind;
    disk = Files.createDirectories(directory.resolve("disk"));
    Files.createDirectories(directory.resolve("export"));
    boot = Files.writeString(directory.resolve("boot"), UUID.randomUUID() + "\n");
    run("mount", "--bind", boot.toString(), BOOT_ID.toString());
  }

  /** Where the disk appears. */
  Path disk() {
    return disk;
  }

  /** A directory for sockets. */
  Path sockets() {
    return directory.resolve("run");
  }

  /** A disk with an empty filesystem. */
  DiskImage emptyDisk() throws IOException {
    Path file = directory.resolve("empty.img");
    Files.deleteIfExists(file);
    run("truncate", "-s", kind.size() + "M", file.toString());
    List<String> command = new ArrayList<>(kind.make());
    command.add(file.toString());
    run(command.toArray(String[]::new));
    DiskImage image = DiskImage.read(file);
    Files.delete(file);
    return image;
  }

  /** Begins a life in which everything that is written is logged. */
  Life start(DiskImage image, DiskLog log, String options) throws IOException {
    boot();
    LoggedDisk logged =
        LoggedDisk.show(image, log, io.csi4j.mount.model.MountPath.of(directory.resolve("export")));
    boolean mounted = false;
    try {
      String device =
          run("losetup", "--find", "--show", "--direct-io=on", logged.file().toString());
      try {
        run("mount", "-t", kind.toString(), "-o", options, device, disk.toString());
        mounted = true;
      } finally {
        // While it is mounted: it goes with the mount.
        run("losetup", "--detach", device);
      }
      return new Life(Optional.of(logged), Optional.empty());
    } finally {
      if (!mounted) {
        logged.close();
      }
    }
  }

  /** The kernel does not mount what a power cut left. */
  static final class NotMounted extends IOException {
    private static final long serialVersionUID = 1L;

    NotMounted(String why) {
      super(why);
    }
  }

  /**
   * Begins a life after a power cut.
   *
   * @throws NotMounted if the kernel does not mount what it left
   */
  Life start(DiskImage image, String options) throws IOException {
    boot();
    Path file = directory.resolve("crash-" + images++ + ".img");
    image.save(file);
    try {
      run(
          "mount",
          "-t",
          kind.toString(),
          "-o",
          "loop," + options,
          file.toString(),
          disk.toString());
    } catch (IOException e) {
      Files.delete(file);
      throw new NotMounted(e.getMessage());
    }
    return new Life(Optional.empty(), Optional.of(file));
  }

  private void boot() throws IOException {
    Files.writeString(boot, UUID.randomUUID() + "\n");
  }

  /** The time from mounting the disk until it is unmounted, with all that is mounted on it. */
  final class Life implements AutoCloseable {

    private final Optional<LoggedDisk> logged;
    private final Optional<Path> file;
    private boolean ended;

    private Life(Optional<LoggedDisk> logged, Optional<Path> file) {
      this.logged = logged;
      this.file = file;
    }

    /** Unmounts it; reads what it left. */
    DiskImage end() throws IOException {
      unmount();
      return DiskImage.read(file.orElseThrow());
    }

    /**
     * Unmounts it.
     *
     * @throws IOException if something holds it
     */
    @Override
    public void close() throws IOException {
      try {
        unmount();
      } finally {
        logged.ifPresent(LoggedDisk::close);
        if (file.isPresent()) {
          Files.deleteIfExists(file.get());
        }
      }
    }

    private void unmount() throws IOException {
      if (ended) {
        return;
      }
      ended = true;
      List<String> mounts = new ArrayList<>();
      for (String row : Scratch.rows("self")) {
        String path = row.split(" ", -1)[4];
        if (path.equals(disk.toString()) || path.startsWith(disk + "/")) {
          mounts.add(path);
        }
      }
      Collections.reverse(mounts);
      for (String mount : mounts) {
        unmount(mount);
      }
    }

    private void unmount(String mount) throws IOException {
      long begun = System.nanoTime();
      int result;
      while ((result = calls.umount2(Abi.path(mount), Abi.UMOUNT_NOFOLLOW)) != 0) {
        if (System.nanoTime() - begun > PATIENCE) {
          calls.umount2(Abi.path(mount), Abi.MNT_DETACH | Abi.UMOUNT_NOFOLLOW);
          throw new IOException(
              mount + " is still held: " + new io.csi4j.mount.model.Errno(-result));
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
    }
  }

  /** Runs a program; returns what it printed. */
  static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + ": " + said);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return said;
  }

  @Override
  public void close() {
    calls.umount2(Abi.path(BOOT_ID.toString()), Abi.MNT_DETACH | Abi.UMOUNT_NOFOLLOW);
  }
}
