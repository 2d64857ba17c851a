package io.csi4j.client.model;

import java.time.Duration;
import java.util.Iterator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list that a plugin returns page by page; a page is read only when its entries are needed. Each
 * iterator starts from the beginning.
 *
 * <p>The list is not a snapshot: while it is read, entries may appear twice or be missing, so a
 * missing entry proves nothing. If the plugin forgets the page token while the list is read, the
 * list is read from its beginning again, at most three times, without repeating delivered entries;
 * a list that began with a token of the caller fails instead. If the plugin's list repeats its
 * tokens or exceeds a limit of pages, entries or time, the iterator throws a {@link
 * CsiAnswerException} after all readable entries.
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
   * Maximum time to wait for the plugin, for all pages together. The time that the caller takes
   * between them does not count.
   */
  Duration MAX_WAIT = Duration.ofHours(1);

  /** Maximum number of consecutive empty pages. */
  int MAX_EMPTY_PAGES = 10;

  /** Maximum number of restarts after the plugin forgot the token. */
  int MAX_RESTARTS = 3;

  @Override
  Iterator<T> iterator();

  /** Returns the list as a stream, which is just as lazy. */
  default Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }
}
