package io.csi4j.volume.sim;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.HeldLock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The disk of the host, below which mounts hide things: a directory that something is mounted on
 * cannot be removed. Keeps what was not synced when a process ends, and loses it with the power.
 */
final class SimDisk {

  /** The directory of the manager. */
  static final Path ROOT = Path.of("/csi");

  private static final Path VOLUMES = ROOT.resolve("v");

  private final World world;
  private final List<HeldLock> locks = new ArrayList<>();
  private FakeDisk medium;

  SimDisk(World world) {
    this.world = world;
    medium = FakeDisk.with(Path.of("/"));
  }

  /** The disk itself, for what others do to it. */
  FakeDisk medium() {
    return medium;
  }

  /** The process has ended: its locks are gone. */
  void endProcess() {
    List.copyOf(locks).forEach(HeldLock::close);
    locks.clear();
  }

  /** The power is gone and back. */
  void cutPower(Random choice) {
    endProcess();
    medium = medium.restart(choice);
    for (Path path : medium.files().stream().sorted().toList()) {
      if (path.getParent() != null && !medium.files().contains(path.getParent())) {
        medium.erase(path);
      }
    }
  }

  /** A plugin makes a directory, and those above it; what it made, the nearest to it first. */
  List<Path> makeDirectories(Path path) {
    List<Path> made = new ArrayList<>();
    for (Path at = path; !isThere(at); at = at.getParent()) {
      made.add(at);
    }
    for (int at = made.size() - 1; at >= 0; at--) {
      medium.mkdir(made.get(at));
    }
    return made;
  }

  /** A plugin removes a directory; nothing happens when it is not empty or not there. */
  void removeIfEmpty(Path path) {
    if (isThere(path) && names(path).isEmpty()) {
      medium.erase(path);
    }
  }

  /** Whether something is at a path. */
  boolean isThere(Path path) {
    try {
      return medium.facts(path).isPresent();
    } catch (DiskException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> names(Path directory) {
    try {
      return medium.list(directory);
    } catch (DiskException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether nothing is left of volumes. */
  boolean isClean() {
    return !isThere(VOLUMES) || names(VOLUMES).isEmpty();
  }

  /** What is left of volumes. */
  List<Path> leftovers() {
    return medium.files().stream()
        .filter(path -> path.startsWith(VOLUMES) && !path.equals(VOLUMES))
        .sorted()
        .toList();
  }

  /** The disk as a process sees it. */
  Disk of(Life life) {
    return new Seen(life);
  }

  private final class Seen implements Disk {

    private final Life life;

    Seen(Life life) {
      this.life = life;
    }

    /** Looks at something, which must not be at or below a mount. */
    private void look(String what, Path path) {
      life.check();
      world.watch().looked(what, path);
    }

    /** Changes something, or crashes before that. */
    private void change(String what, Path path) {
      look(what, path);
      world.findings().note(what, path);
      if (world.setup().journal()) {
        world.mayCrash(life, "disk");
      }
    }

    @Override
    public Optional<FileFacts> facts(Path path) throws DiskException {
      look("LOOK", path);
      return medium.facts(path);
    }

    @Override
    public List<String> list(Path directory) throws DiskException {
      look("LIST", directory);
      return medium.list(directory);
    }

    @Override
    public byte[] read(Path file, int limit) throws DiskException {
      look("READ", file);
      return medium.read(file, limit);
    }

    @Override
    public void createDirectory(Path directory) throws DiskException {
      change("MKDIR", directory);
      medium.createDirectory(directory);
    }

    @Override
    public DiskFile create(Path file) throws DiskException {
      change("CREATE", file);
      return new SeenFile(file, medium.create(file));
    }

    @Override
    public DiskFile open(Path file) throws DiskException {
      look("OPEN", file);
      return new SeenFile(file, medium.open(file));
    }

    @Override
    public void rename(Path from, Path to) throws DiskException {
      change("RENAME", to);
      medium.rename(from, to);
    }

    @Override
    public void deleteFile(Path file) throws DiskException {
      change("DELETE", file);
      world.watch().deleted(file);
      medium.deleteFile(file);
    }

    @Override
    public void removeDirectory(Path directory) throws DiskException {
      life.check();
      world.findings().note("RMDIR", directory);
      if (world.setup().journal()) {
        world.mayCrash(life, "disk");
      }
      world.watch().removed(directory);
      if (world.isMounted(directory)) {
        throw new DiskException(
            DiskException.Kind.FAILED, directory.getFileName() + ": busy", null);
      }
      medium.removeDirectory(directory);
    }

    @Override
    public void setMode(Path path, int mode) throws DiskException {
      change("CHMOD", path);
      medium.setMode(path, mode);
    }

    @Override
    public void syncDirectory(Path directory) throws DiskException {
      change("SYNCDIR", directory);
      medium.syncDirectory(directory);
    }

    @Override
    public int user() {
      life.check();
      return medium.user();
    }

    @Override
    public String filesystemType(Path directory) {
      life.check();
      return medium.filesystemType(directory);
    }

    @Override
    public Optional<HeldLock> tryLock(Path file) throws DiskException {
      change("LOCK", file);
      Optional<HeldLock> lock = medium.tryLock(file);
      lock.ifPresent(locks::add);
      return lock;
    }

    private final class SeenFile implements DiskFile {

      private final Path path;
      private final DiskFile file;

      SeenFile(Path path, DiskFile file) {
        this.path = path;
        this.file = file;
      }

      @Override
      public void write(long position, byte[] bytes) throws DiskException {
        change("WRITE", path);
        world.watch().written(path.toString(), bytes);
        file.write(position, bytes);
      }

      @Override
      public void cut(long length) throws DiskException {
        change("CUT", path);
        file.cut(length);
      }

      @Override
      public void sync() throws DiskException {
        change("SYNC", path);
        file.sync();
      }

      @Override
      public void close() {
        file.close();
      }
    }
  }
}
