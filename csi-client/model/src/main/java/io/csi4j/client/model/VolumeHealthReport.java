package io.csi4j.client.model;

import java.util.List;

/**
 * Everything that a plugin says is wrong with one volume.
 *
 * @param volumeId the volume
 * @param entries each fault once, in the plugin's order; several may hold at the same time
 * @since 1.0
 */
@Experimental
public record VolumeHealthReport(VolumeId volumeId, List<VolumeHealthEntry> entries) {

  /** Copies the entries. */
  public VolumeHealthReport {
    entries = List.copyOf(entries);
  }

  /** Whether the plugin says that nothing is wrong. */
  public boolean isWell() {
    return entries.isEmpty();
  }
}
