package io.csi4j.volume.controller;

import java.util.Objects;
import java.util.Optional;

/**
 * Which page of a list is wanted.
 *
 * @param maxEntries how many entries it may have; 0 for as many as the plugin likes
 * @param token where it begins, as the page before said; nothing for the first
 * @since 1.0
 */
public record PageRequest(int maxEntries, Optional<String> token) {

  /** Refuses a negative number. */
  public PageRequest {
    Objects.requireNonNull(token, "token");
    if (maxEntries < 0) {
      throw new IllegalArgumentException(
          "A page has no fewer than no entries: " + maxEntries + ".");
    }
  }

  /** The first page of the plugin's own size. */
  public static PageRequest first() {
    return new PageRequest(0, Optional.empty());
  }

  /** The page behind the one that gave this token. */
  public PageRequest after(String nextToken) {
    return new PageRequest(maxEntries, Optional.of(nextToken));
  }
}
