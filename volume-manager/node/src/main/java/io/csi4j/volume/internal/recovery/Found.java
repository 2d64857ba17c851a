package io.csi4j.volume.internal.recovery;

import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Place;
import java.util.List;

/**
 * The words of three witnesses when a manager is opened.
 *
 * @param remembered the records
 * @param directories and the volumes they belong to
 * @param mounted the mounts below the root
 * @param place the boot and the mount namespace
 */
public record Found(
    Remembered remembered,
    List<VolumeDirectories.Found> directories,
    List<Sighting> mounted,
    Place place) {

  /** Copies the lists. */
  public Found {
    directories = List.copyOf(directories);
    mounted = List.copyOf(mounted);
  }
}
