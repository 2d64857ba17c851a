package io.csi4j.volume.upkeep;

import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.model.VolumeKey;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * In what a storage system and the claims do not agree. Each finding was looked at twice, and
 * nothing was claimed or given back in between.
 *
 * @param findings one for each thing, in the order of the volumes
 * @param compared how many volumes were compared
 * @param unseen how many volumes the storage system did not name; which proves nothing, as its list
 *     is no picture of one moment; those that could not be read are among them
 * @param failures the volumes that could not be read, each with why
 * @since 1.0
 */
public record DriftReport(
    List<Drift> findings,
    int compared,
    int unseen,
    SortedMap<VolumeKey, ControllerException> failures) {

  /** Copies the list and the map. */
  public DriftReport {
    findings = List.copyOf(findings);
    failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
  }
}
