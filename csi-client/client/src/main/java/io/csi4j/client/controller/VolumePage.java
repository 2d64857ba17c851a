package io.csi4j.client.controller;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list of volumes. Pages do not add up to a snapshot: while they are read, volumes
 * may show up twice or not at all.
 *
 * @since 1.0
 */
public interface VolumePage {

  /** The volumes. */
  List<VolumeEntry> entries();

  /** The token of the next page; nothing on the last. */
  Optional<String> nextToken();

  /** How many entries were left out because they could not be used: without a usable id, mostly. */
  int skipped();
}
