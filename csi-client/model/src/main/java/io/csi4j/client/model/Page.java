package io.csi4j.client.model;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list that a plugin returns. All pages together are not a snapshot of the list:
 * while the caller reads them, entries may appear twice or be missing. A missing entry proves
 * nothing. {@link Listing} reads all pages.
 *
 * @param <T> the type of the entries
 * @since 1.0
 */
public interface Page<T> {

  /** The entries. */
  List<T> entries();

  /** The token of the next page; empty on the last page. */
  Optional<String> nextToken();

  /**
   * The number of entries that were left out because they could not be used, mostly because they
   * had no usable id.
   */
  int skipped();
}
