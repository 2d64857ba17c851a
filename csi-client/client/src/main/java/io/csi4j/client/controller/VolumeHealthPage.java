package io.csi4j.client.controller;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.VolumeHealthReport;
import java.util.List;
import java.util.Optional;

/**
 * One page of a list of the volumes that are not well. A plugin may list well ones too, without
 * entries.
 *
 * <p>Pages do not add up to a snapshot: while they are read, volumes may show up twice or not at
 * all. So the absence of a volume does not prove that it has recovered.
 *
 * @since 1.0
 */
@Experimental
public interface VolumeHealthPage {

  /** The volumes, each with what is wrong with it. */
  List<VolumeHealthReport> entries();

  /** The token of the next page; nothing on the last. */
  Optional<String> nextToken();

  /** How many entries were left out because they could not be used: without a usable id, mostly. */
  int skipped();
}
