package io.csi4j.client.model;

import java.time.Duration;
import java.util.Iterator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list that a plugin gives out page by page, read only as far as it is iterated. Each iterator
 * begins from the start.
 *
 * <p>It is no snapshot: while it is read, entries may show up twice or be missing, so the absence
 * of one proves nothing. If the plugin forgets the page token midway, the list is read from its
 * beginning again, at most three times, without repeating what was delivered; one that began with a
 * token of the caller fails instead. A plugin whose list goes round in a circle or never ends, be
 * it in pages, in entries or in time, makes the iterator throw a {@link CsiAnswerException} after
 * all that could be read.
 *
 * @param <T> what is listed
 * @since 1.0
 */
public interface Listing<T> extends Iterable<T> {

  /** How many pages are read at the most. */
  int MAX_PAGES = 10_000;

  /** How many entries are read at the most. */
  int MAX_ENTRIES = 1_000_000;

  /**
   * How long the plugin is waited for at the most, all pages together. The time that the caller
   * takes between them does not count.
   */
  Duration MAX_WAIT = Duration.ofHours(1);

  /** How many pages in a row may be empty. */
  int MAX_EMPTY_PAGES = 10;

  /** How often it is begun again after the plugin forgot the token. */
  int MAX_RESTARTS = 3;

  @Override
  Iterator<T> iterator();

  /** The list as a stream, just as lazy. */
  default Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }
}
