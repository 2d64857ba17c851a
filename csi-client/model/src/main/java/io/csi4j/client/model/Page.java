package io.csi4j.client.model;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list that a plugin gives out. Pages do not add up to a snapshot of the list: while
 * they are read, entries may show up twice or not at all, so the absence of one proves nothing.
 * {@link Listing} reads all pages.
 *
 * @param <T> what is listed
 * @since 1.0
 */
public interface Page<T> {

  /** The entries. */
  List<T> entries();

  /** The token of the next page; nothing on the last. */
  Optional<String> nextToken();

  /** How many entries were left out because they could not be used: without a usable id, mostly. */
  int skipped();
}
