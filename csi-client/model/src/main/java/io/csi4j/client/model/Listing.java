package io.csi4j.client.model;

import java.time.Duration;
import java.util.Iterator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list that a plugin returns page by page; a page is read only when its entries are needed. Each
 * iterator starts from the beginning.
 *
 * <p>The list is not a snapshot: while the caller reads it, entries may appear twice or be missing.
 * A missing entry proves nothing. If the plugin no longer accepts a page token, the client reads
 * the list from the beginning again, at most three times, and skips the entries that it already
 * delivered. A list that began with a token of the caller fails instead. The iterator throws a
 * {@link CsiAnswerException} if the plugin repeats a token, or if the list exceeds a limit of
 * pages, entries or time; before that, the iterator returns all readable entries.
 *
 * @param <T> the type of the entries
 * @since 1.0
 */
public interface Listing<T> extends Iterable<T> {

  /** Maximum number of pages that are read. */
  int MAX_PAGES = 10_000;

  /** Maximum number of entries that are read. */
  int MAX_ENTRIES = 1_000_000;

  /**
   * Maximum total time to wait for the plugin, over all pages. The time that the caller takes
   * between pages does not count.
   */
  Duration MAX_WAIT = Duration.ofHours(1);

  /** Maximum number of consecutive empty pages. */
  int MAX_EMPTY_PAGES = 10;

  /** Maximum number of restarts after the plugin no longer accepted a token. */
  int MAX_RESTARTS = 3;

  @Override
  Iterator<T> iterator();

  /** Returns the list as a stream, which also reads pages only when needed. */
  default Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }
}
