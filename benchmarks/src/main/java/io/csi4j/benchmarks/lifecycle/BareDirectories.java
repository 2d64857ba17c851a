package io.csi4j.benchmarks.lifecycle;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.RealDisk;
import java.nio.file.Path;

/**
 * Makes and removes the directories of a volume with the syncs that a manager makes, and without a
 * look at anything.
 */
final class BareDirectories {

  private final Disk disk = new RealDisk();
  private final Path volumes;
  private final byte[] identity;

  /**
   * Below this directory, which is made.
   *
   * @param identity how many bytes the file has that says whose directory it is
   */
  BareDirectories(Path volumes, int identity) throws DiskException {
    this.volumes = volumes;
    this.identity = new byte[identity];
    disk.createDirectory(volumes);
  }

  private Path home(int volume) {
    return volumes.resolve("volume-" + volume);
  }

  void makeVolume(int volume) throws DiskException {
    Path home = home(volume);
    disk.createDirectory(home);
    Path temporary = home.resolve("who.new");
    try (DiskFile file = disk.create(temporary)) {
      file.write(0, identity);
      file.sync();
    }
    disk.rename(temporary, home.resolve("who"));
    disk.syncDirectory(home);
    disk.createDirectory(home.resolve("s"));
    disk.createDirectory(home.resolve("p"));
    disk.syncDirectory(home);
    disk.syncDirectory(volumes);
  }

  void makeUse(int volume) throws DiskException {
    disk.createDirectory(home(volume).resolve("p").resolve("use"));
  }

  void removeUse(int volume) throws DiskException {
    Path uses = home(volume).resolve("p");
    disk.removeDirectory(uses.resolve("use"));
    disk.syncDirectory(uses);
  }

  void removeVolume(int volume) throws DiskException {
    Path home = home(volume);
    disk.removeDirectory(home.resolve("s"));
    disk.removeDirectory(home.resolve("p"));
    disk.syncDirectory(home);
    disk.deleteFile(home.resolve("who"));
    disk.removeDirectory(home);
    disk.syncDirectory(volumes);
  }
}
