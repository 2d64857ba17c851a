package io.csi4j.volume.internal.recovery;

import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.state.LoadedState;
import java.util.List;

/**
 * What three witnesses say when a manager is opened.
 *
 * @param state what was remembered
 * @param directories whose paths there are
 * @param mounted what is mounted below the root
 * @param place the boot and the mount namespace
 */
public record Found(
    LoadedState state,
    List<VolumeDirectories.Found> directories,
    List<Sighting> mounted,
    Place place) {

  /** Copies the lists. */
  public Found {
    directories = List.copyOf(directories);
    mounted = List.copyOf(mounted);
  }
}
