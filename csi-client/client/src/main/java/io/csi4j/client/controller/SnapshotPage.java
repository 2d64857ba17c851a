package io.csi4j.client.controller;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list of snapshots. Pages do not add up to a snapshot of the list: while they are
 * read, entries may show up twice or not at all.
 *
 * @since 1.0
 */
public interface SnapshotPage {

  /** The snapshots. */
  List<Snapshot> entries();

  /** The token of the next page; nothing on the last. */
  Optional<String> nextToken();

  /** How many entries were left out because they could not be used: without a usable id, mostly. */
  int skipped();
}
