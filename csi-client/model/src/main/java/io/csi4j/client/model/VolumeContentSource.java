package io.csi4j.client.model;

/**
 * The source that a new volume starts as a copy of.
 *
 * @since 1.0
 */
public sealed interface VolumeContentSource {

  /** A snapshot. */
  static VolumeContentSource of(SnapshotId snapshotId) {
    return new FromSnapshot(snapshotId);
  }

  /** Another volume of the same plugin. */
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
