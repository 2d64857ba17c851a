package io.csi4j.volume.upkeep;

import java.util.List;

/**
 * In what a storage system and the claims do not agree. Each finding was looked at twice, and
 * nothing was claimed or given back in between.
 *
 * @param findings one for each thing, in the order of the volumes
 * @param compared how many volumes were compared
 * @param unseen how many volumes the storage system did not name; which proves nothing, as its list
 *     is no picture of one moment
 * @since 1.0
 */
public record DriftReport(List<Drift> findings, int compared, int unseen) {

  /** Copies the list. */
  public DriftReport {
    findings = List.copyOf(findings);
  }
}
