package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.proto.VolumeUsage.Unit;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.internal.backend.Storage;
import io.csi4j.testkit.internal.hostpath.Layout.StoredBytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of volumes and snapshots on disk. They are created in a work directory and then moved
 * to their final path, and moved away before they are removed, so that after a crash they are
 * complete or absent.
 */
final class VolumeFiles {

  private static final System.Logger LOG = System.getLogger("io.csi4j.testkit.hostpath");

  private final Layout layout;
  private final Mounts mounts;
  private final VolumeMountIndex sight;
  private final Tmpfs tmpfs;
  private final LoopDevices loops;
  private final Programs programs;
  private final UnmountPolicy policy;
  private final AtomicLong works = new AtomicLong();

  VolumeFiles(
      Layout layout,
      Mounts mounts,
      VolumeMountIndex sight,
      Tmpfs tmpfs,
      LoopDevices loops,
      Programs programs,
      UnmountPolicy policy) {
    this.layout = layout;
    this.mounts = mounts;
    this.sight = sight;
    this.tmpfs = tmpfs;
    this.loops = loops;
    this.programs = programs;
    this.policy = policy;
  }

  /**
   * Creates a volume; every user may write to a new filesystem.
   *
   * @param source the source of its content; null for an empty volume
   */
  void create(String id, Medium medium, long bytes, @Nullable StoredBytes source)
      throws IOException, Refusal {
    make(
        id,
        layout.volume(id),
        work -> {
          Path content = work.resolve(medium.word());
          if (medium.isBlock()) {
            copyOrMake(source, content, SparseFile.deviceLength(bytes));
            return;
          }
          Files.createDirectory(content);
          if (medium == Medium.MEMORY) {
            tmpfs.mount(id, content, bytes);
          }
          Files.setPosixFilePermissions(content, PosixFilePermissions.fromString("rwxrwxrwx"));
          if (source != null) {
            copyTree(source, content, medium);
          }
        });
  }

  /** Creates a snapshot, always on disk. */
  void snapshot(String id, StoredBytes volume) throws IOException, Refusal {
    make(
        id,
        layout.snapshot(id),
        work -> {
          Path content = work.resolve(volume.medium().ofCopies().word());
          if (volume.medium().isBlock()) {
            copyOrMake(volume, content, 0);
          } else {
            Files.createDirectory(content);
            copyTree(volume, content, volume.medium());
          }
        });
  }

  private interface Filling {
    void fill(Path work) throws IOException, Refusal;
  }

  private void make(String id, Path place, Filling filling) throws IOException, Refusal {
    Path work = Files.createDirectory(work(id));
    try {
      filling.fill(work);
      Files.move(work, place, StandardCopyOption.ATOMIC_MOVE);
      StateFile.sync(place.resolveSibling("."));
    } catch (IOException | Refusal | RuntimeException e) {
      try {
        clear(work);
      } catch (IOException | Refusal | RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  private void copyTree(StoredBytes source, Path content, Medium medium)
      throws IOException, Refusal {
    if (source.medium().isBlock()) {
      throw otherKind(source, medium);
    }
    refuseMountsBelow(source.content());
    Tree.copy(source.content(), content);
  }

  private static void copyOrMake(@Nullable StoredBytes source, Path content, long length)
      throws IOException, Refusal {
    if (source == null) {
      Files.createFile(content);
    } else if (source.medium().isBlock()) {
      try (FileChannel from = FileChannel.open(source.content())) {
        SparseFile.copy(from, content);
      }
    } else {
      throw otherKind(source, Medium.FILE);
    }
    SparseFile.grow(content, length);
  }

  private static Refusal otherKind(StoredBytes source, Medium medium) {
    return Refusal.of(
        StatusCode.INVALID_ARGUMENT,
        "The content of %s cannot be copied: it is a "
            + (medium.isBlock() ? "filesystem, but a raw device" : "raw device, but a filesystem")
            + " is requested. Request the same kind.",
        source.id());
  }

  /** Extends a volume to at least this size. */
  void expand(StoredBytes volume, long bytes) throws IOException {
    switch (volume.medium()) {
      case DISK -> {
        // A directory is as large as its filesystem, so there is nothing to do.
      }
      case MEMORY -> {
        long now = Files.getFileStore(volume.content()).getTotalSpace();
        if (now < bytes) {
          tmpfs.resize(volume.id(), volume.content(), bytes);
        }
      }
      case FILE -> SparseFile.grow(volume.content(), SparseFile.deviceLength(bytes));
      case LOOP -> {
        SparseFile.grow(volume.content(), SparseFile.deviceLength(bytes));
        for (LoopDevices.Loop loop : loops.of(volume.content())) {
          loops.refresh(loop.path());
        }
      }
    }
  }

  /**
   * Prepares a volume for use: if a volume in memory has lost its tmpfs, as after a reboot, it gets
   * a new, empty one.
   */
  void prepare(StoredBytes volume, long bytes) {
    if (volume.medium() == Medium.MEMORY && !sight.isInMemory(volume)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The volume {0} was in memory, and its data is lost: its tmpfs is no longer mounted. It"
              + " continues empty.",
          SafeText.quote(volume.id()));
      tmpfs.mount(volume.id(), volume.content(), bytes);
    }
  }

  /** Removes a volume that is not mounted anywhere. */
  void delete(StoredBytes volume) throws IOException, Refusal {
    List<MountRecord> users = sight.mountsOf(volume);
    if (!users.isEmpty()) {
      throw Refusal.of(
          StatusCode.FAILED_PRECONDITION,
          "The volume %s cannot be deleted: it is mounted at %s. Unpublish it there first.",
          volume.id(),
          users.get(0).path());
    }
    if (volume.medium() == Medium.MEMORY) {
      mounts.unmount(MountPath.of(volume.content()), policy);
    }
    if (volume.medium() == Medium.LOOP) {
      for (LoopDevices.Loop loop : loops.of(volume.content())) {
        loops.detach(loop.path());
      }
    }
    remove(layout.volume(volume.id()));
  }

  /** Removes the directory of a volume or snapshot, if it exists. */
  void remove(Path directory) throws IOException, Refusal {
    if (!Files.isDirectory(directory)) {
      return;
    }
    refuseMountsBelow(directory);
    Path work = work("gone");
    Files.move(directory, work, StandardCopyOption.ATOMIC_MOVE);
    StateFile.sync(directory.resolveSibling("."));
    Tree.delete(work);
  }

  /** Removes files that an earlier process did not finish. */
  void clearWork() throws IOException, Refusal {
    for (String name : Layout.names(layout.work())) {
      clear(layout.work().resolve(name));
    }
  }

  private void clear(Path work) throws IOException, Refusal {
    Path memory = work.resolve(Medium.MEMORY.word());
    mounts.unmount(MountPath.of(memory), policy);
    refuseMountsBelow(work);
    if (Files.isDirectory(work)) {
      Tree.delete(work);
    } else {
      Files.deleteIfExists(work);
    }
  }

  private Path work(String id) {
    Path free;
    do {
      free = layout.work().resolve(Layout.name(id) + "-" + works.incrementAndGet());
    } while (Files.exists(free));
    return free;
  }

  private void refuseMountsBelow(Path directory) throws Refusal {
    Optional<MountRecord> below = sight.below(MountPath.of(directory)).stream().findFirst();
    if (below.isPresent()) {
      throw Refusal.of(
          StatusCode.FAILED_PRECONDITION,
          "The directory %s cannot be copied or removed: something else is mounted in it, at"
              + " %s. Unmount that first.",
          directory,
          below.get().path());
    }
  }

  /**
   * Returns the usage of a volume that was created with this capacity. A volume on disk has that
   * capacity, which is not enforced, or the free space of its filesystem if that is less.
   */
  List<VolumeUsage> usage(StoredBytes volume, long capacity) throws IOException {
    if (volume.medium().isBlock()) {
      long length = Files.size(volume.content());
      return List.of(
          VolumeUsage.newBuilder().setUnit(Unit.BYTES).setTotal(length).setUsed(length).build());
    }
    FileStore store = Files.getFileStore(volume.content());
    List<VolumeUsage> usage = new ArrayList<>();
    long[] nodes = nodes(volume);
    if (volume.medium() == Medium.MEMORY) {
      long total = store.getTotalSpace();
      usage.add(Storage.usage(Unit.BYTES, total, total - store.getUnallocatedSpace()));
      if (nodes[0] > 0) {
        usage.add(Storage.usage(Unit.INODES, nodes[0], nodes[0] - nodes[1]));
      }
      return usage;
    }
    Tree.Size size = Tree.size(volume.content());
    long left = Math.min(Math.max(0, capacity - size.bytes()), store.getUsableSpace());
    usage.add(Storage.usage(Unit.BYTES, size.bytes() + left, size.bytes()));
    if (nodes[0] > 0) {
      usage.add(Storage.usage(Unit.INODES, size.files() + nodes[1], size.files()));
    }
    return usage;
  }

  /** Returns the total and the free number of inodes of a volume's filesystem; zeros if unknown. */
  private long[] nodes(StoredBytes volume) {
    try {
      String said =
          programs.run("stat", "--file-system", "--format=%c %d", volume.content().toString());
      String[] numbers = said.split(" ", -1);
      return new long[] {Long.parseLong(numbers[0]), Long.parseLong(numbers[1])};
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      // In this case only bytes are reported.
      return new long[2];
    }
  }
}
