package io.csi4j.testkit.internal.hostpath;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.testkit.internal.hostpath.Layout.StoredBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Finds the mounts of a volume in the kernel's table alone; nothing is remembered. */
final class VolumeMountIndex {

  /** A directory or file as the table identifies it. */
  private record Place(DeviceId device, KernelText root, KernelText deletedRoot) {

    boolean isShownBy(MountRecord mount) {
      return mount.device().equals(device)
          && (mount.root().equals(root) || mount.root().equals(deletedRoot));
    }
  }

  private final MountTable table;
  private final Tmpfs tmpfs;
  private final LoopDevices loops;

  VolumeMountIndex(MountTable table, Tmpfs tmpfs, LoopDevices loops) {
    this.table = table;
    this.tmpfs = tmpfs;
    this.loops = loops;
  }

  MountSnapshot now() {
    return table.list();
  }

  Optional<MountRecord> at(MountPath path) {
    return table.find(path);
  }

  /** Returns the mounts of a volume, except the tmpfs itself below the data directory. */
  List<MountRecord> mountsOf(StoredBytes volume) throws IOException {
    MountSnapshot now = now();
    MountPath content = MountPath.of(volume.content());
    return now.matching(shows(volume, now).and(mount -> !mount.path().equals(content)));
  }

  /** Returns whether a file is mounted anywhere. */
  boolean isShown(Path file) {
    MountSnapshot now = now();
    MountPath itself = MountPath.of(file);
    Place place = place(file, now);
    return now.records().stream()
        .anyMatch(mount -> place.isShownBy(mount) && !mount.path().equals(itself));
  }

  /** Returns the mounts below a path. */
  List<MountRecord> below(MountPath path) {
    return now().matching(mount -> mount.path().isWithin(path) && !mount.path().equals(path));
  }

  boolean isInMemory(StoredBytes volume) {
    return at(MountPath.of(volume.content())).filter(isTmpfsOf(volume.id())).isPresent();
  }

  /** Returns a predicate for the mounts that show a volume, based on one snapshot of the table. */
  Predicate<MountRecord> shows(StoredBytes volume, MountSnapshot now) throws IOException {
    switch (volume.medium()) {
      case MEMORY -> {
        return isTmpfsOf(volume.id());
      }
      case LOOP -> {
        Predicate<MountRecord> any = mount -> false;
        List<LoopDevices.Loop> devices =
            Files.exists(volume.content()) ? loops.of(volume.content()) : List.of();
        for (LoopDevices.Loop loop : devices) {
          Place place = place(loop.path(), now);
          any = any.or(place::isShownBy);
        }
        return any;
      }
      case DISK, FILE -> {
        Place place = place(volume.content(), now);
        return place::isShownBy;
      }
    }
    throw new AssertionError(volume.medium());
  }

  private Predicate<MountRecord> isTmpfsOf(String id) {
    KernelText source = tmpfs.source(id);
    return mount -> mount.type().is("tmpfs") && mount.source().equals(source);
  }

  /**
   * Returns whether a mount shows a loop device whose file was detached, so that it shows nothing.
   */
  static boolean isFreeLoop(MountRecord mount, MountSnapshot now) {
    String root = new String(mount.root().bytes(), StandardCharsets.UTF_8);
    if (!root.matches("/loop[0-9]+")) {
      return false;
    }
    Path device = Path.of("/dev" + root);
    return place(device, now).isShownBy(mount) && LoopDevices.isFree(device);
  }

  /** Returns the location of a path in its filesystem; the path need not exist. */
  private static Place place(Path path, MountSnapshot now) {
    MountPath at = MountPath.of(path);
    MountRecord mount =
        now.holding(at)
            .orElseThrow(() -> new IllegalStateException("nothing is mounted at / for " + at));
    byte[] whole = at.bytes();
    int above = mount.path().isRoot() ? 0 : mount.path().bytes().length;
    ByteArrayOutputStream root = new ByteArrayOutputStream();
    if (!mount.root().is("/") || above == whole.length) {
      root.writeBytes(mount.root().bytes());
    }
    root.write(whole, above, whole.length - above);
    KernelText there = KernelText.ofBytes(root.toByteArray());
    root.writeBytes("//deleted".getBytes(StandardCharsets.UTF_8));
    return new Place(mount.device(), there, KernelText.ofBytes(root.toByteArray()));
  }
}
