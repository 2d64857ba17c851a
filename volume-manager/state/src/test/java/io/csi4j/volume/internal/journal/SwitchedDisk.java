package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.HeldLock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A disk whose writes can be switched off, and whose locks can be lost as when a process dies. */
final class SwitchedDisk implements Disk {

  private final Disk disk;
  private final List<HeldLock> locks = new ArrayList<>();
  private volatile boolean off;

  SwitchedDisk(Disk disk) {
    this.disk = disk;
  }

  void switchOff() {
    off = true;
  }

  void switchOn() {
    off = false;
  }

  void loseLocks() {
    locks.forEach(HeldLock::close);
    locks.clear();
  }

  private void check() throws DiskException {
    if (off) {
      throw new DiskException(DiskException.Kind.FAILED, "switched off", null);
    }
  }

  @Override
  public Optional<FileFacts> facts(Path path) throws DiskException {
    return disk.facts(path);
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    return disk.list(directory);
  }

  @Override
  public byte[] read(Path file, int limit) throws DiskException {
    return disk.read(file, limit);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    check();
    disk.createDirectory(directory);
  }

  @Override
  public DiskFile create(Path file) throws DiskException {
    check();
    return new Switched(disk.create(file));
  }

  @Override
  public DiskFile open(Path file) throws DiskException {
    return new Switched(disk.open(file));
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    check();
    disk.rename(from, to);
  }

  @Override
  public void deleteFile(Path file) throws DiskException {
    check();
    disk.deleteFile(file);
  }

  @Override
  public void removeDirectory(Path directory) throws DiskException {
    check();
    disk.removeDirectory(directory);
  }

  @Override
  public void setMode(Path path, int mode) throws DiskException {
    check();
    disk.setMode(path, mode);
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    check();
    disk.syncDirectory(directory);
  }

  @Override
  public int user() throws DiskException {
    return disk.user();
  }

  @Override
  public String filesystemType(Path directory) throws DiskException {
    return disk.filesystemType(directory);
  }

  @Override
  public Optional<HeldLock> tryLock(Path file) throws DiskException {
    Optional<HeldLock> lock = disk.tryLock(file);
    lock.ifPresent(locks::add);
    return lock;
  }

  private final class Switched implements DiskFile {

    private final DiskFile file;

    Switched(DiskFile file) {
      this.file = file;
    }

    @Override
    public void write(long position, byte[] bytes) throws DiskException {
      check();
      file.write(position, bytes);
    }

    @Override
    public void cut(long length) throws DiskException {
      check();
      file.cut(length);
    }

    @Override
    public void sync() throws DiskException {
      check();
      file.sync();
    }

    @Override
    public void close() {
      file.close();
    }
  }
}
