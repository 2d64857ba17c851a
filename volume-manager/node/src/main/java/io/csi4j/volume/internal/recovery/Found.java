package io.csi4j.volume.internal.recovery;

import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Place;
import java.util.List;

/**
 * What three witnesses say when a manager is opened.
 *
 * @param remembered the records
 * @param directories whose paths there are
 * @param mounted what is mounted below the root
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
