package io.csi4j.client.model;

import java.util.List;

/**
 * All health problems of one volume that a plugin reports.
 *
 * @param volumeId the volume
 * @param entries the problems without duplicates, in the plugin's order; several may exist at the
 *     same time
 * @since 1.0
 */
@Experimental
public record VolumeHealthReport(VolumeId volumeId, List<VolumeHealthEntry> entries) {

  /** Copies the entries. */
  public VolumeHealthReport {
    entries = List.copyOf(entries);
  }

  /** Whether the plugin reports no problem. */
  public boolean isWell() {
    return entries.isEmpty();
  }
}
