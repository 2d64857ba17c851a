package io.csi4j.client.model;

/**
 * The source that a new volume is a copy of.
 *
 * @since 1.0
 */
public sealed interface VolumeContentSource {

  /** Returns a snapshot as the source. */
  static VolumeContentSource of(SnapshotId snapshotId) {
    return new FromSnapshot(snapshotId);
  }

  /** Returns another volume of the same plugin as the source. */
  static VolumeContentSource of(VolumeId volumeId) {
    return new FromVolume(volumeId);
  }

  /**
   * A copy of a snapshot.
   *
   * @param snapshotId the snapshot
   */
  record FromSnapshot(SnapshotId snapshotId) implements VolumeContentSource {}

  /**
   * A copy of a volume.
   *
   * @param volumeId the volume
   */
  record FromVolume(VolumeId volumeId) implements VolumeContentSource {}
}
