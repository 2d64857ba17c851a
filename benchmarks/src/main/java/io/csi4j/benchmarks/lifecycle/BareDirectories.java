package io.csi4j.benchmarks.lifecycle;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.RealDisk;
import java.nio.file.Path;

/** Creates and removes a directory for a volume and a directory for its use, without any checks. */
final class BareDirectories {

  private final Disk disk = new RealDisk();
  private final Path volumes;

  /** Creates the directory {@code volumes}, below which the other directories are created. */
  BareDirectories(Path volumes) throws DiskException {
    this.volumes = volumes;
    disk.createDirectory(volumes);
  }

  private Path home(int volume) {
    return volumes.resolve("volume-" + volume);
  }

  void makeVolume(int volume) throws DiskException {
    disk.createDirectory(home(volume));
  }

  void makeUse(int volume) throws DiskException {
    disk.createDirectory(home(volume).resolve("use"));
  }

  void removeUse(int volume) throws DiskException {
    disk.removeDirectory(home(volume).resolve("use"));
  }

  void removeVolume(int volume) throws DiskException {
    disk.removeDirectory(home(volume));
  }
}
