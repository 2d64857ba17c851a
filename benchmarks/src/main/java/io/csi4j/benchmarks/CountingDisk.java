package io.csi4j.benchmarks;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.FileLook;
import io.csi4j.volume.internal.disk.HeldLock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A disk that records which files and directories are synced. */
public final class CountingDisk implements Disk {

  private final Disk disk;
  private final List<Integer> files = Collections.synchronizedList(new ArrayList<>());
  private final List<Path> directories = Collections.synchronizedList(new ArrayList<>());

  /** Creates a disk that records the syncs on {@code disk}. */
  public CountingDisk(Disk disk) {
    this.disk = disk;
  }

  /** The number of bytes written to a file before each of its syncs. */
  public List<Integer> files() {
    return List.copyOf(files);
  }

  /** The directories that were synced. */
  public List<Path> directories() {
    return List.copyOf(directories);
  }

  /** The number of files and directories synced. */
  public int syncs() {
    return files.size() + directories.size();
  }

  /** Forgets all recorded syncs. */
  public void clear() {
    files.clear();
    directories.clear();
  }

  @Override
  public DiskFile create(Path file) throws DiskException {
    return counted(disk.create(file));
  }

  @Override
  public DiskFile open(Path file) throws DiskException {
    return counted(disk.open(file));
  }

  private DiskFile counted(DiskFile file) {
    return new DiskFile() {
      private int written;

      @Override
      public void write(long position, byte[] bytes) throws DiskException {
        written += bytes.length;
        file.write(position, bytes);
      }

      @Override
      public void cut(long length) throws DiskException {
        file.cut(length);
      }

      @Override
      public void sync() throws DiskException {
        files.add(written);
        written = 0;
        file.sync();
      }

      @Override
      public void close() {
        file.close();
      }
    };
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    directories.add(directory);
    disk.syncDirectory(directory);
  }

  @Override
  public Optional<FileFacts> facts(Path path) throws DiskException {
    return disk.facts(path);
  }

  @Override
  public Optional<FileLook> look(Path path) throws DiskException {
    return disk.look(path);
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
    disk.createDirectory(directory);
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    disk.rename(from, to);
  }

  @Override
  public void deleteFile(Path file) throws DiskException {
    disk.deleteFile(file);
  }

  @Override
  public void removeDirectory(Path directory) throws DiskException {
    disk.removeDirectory(directory);
  }

  @Override
  public void setMode(Path path, int mode) throws DiskException {
    disk.setMode(path, mode);
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
    return disk.tryLock(file);
  }
}
