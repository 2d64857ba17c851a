package io.csi4j.testkit.internal.backend;

import io.csi4j.client.model.StatusCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** The page tokens that were given out, until they expire. The oldest expire by themselves. */
final class Tokens {

  private static final int MOST = 10_000;

  private record Page(String listing, String last) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Page> pages = new LinkedHashMap<>();
  private long given;

  /** A new token for what comes after {@code last}. */
  String give(String listing, String last) {
    lock.lock();
    try {
      // Scattered, so that no caller counts on an order.
      String token = Long.toHexString(++given * 0x9E3779B97F4A7C15L | 1L << 63);
      pages.put(token, new Page(listing, last));
      if (pages.size() > MOST) {
        pages.remove(pages.keySet().iterator().next());
      }
      return token;
    } finally {
      lock.unlock();
    }
  }

  /** After which entry the page begins. */
  String after(String listing, String token) throws Refusal {
    lock.lock();
    try {
      Page page = pages.get(token);
      if (page == null || !page.listing().equals(listing)) {
        throw Refusal.of(
            StatusCode.ABORTED,
            "starting_token %s is not valid (any more). Begin again without a token.",
            token);
      }
      return page.last();
    } finally {
      lock.unlock();
    }
  }

  void expire() {
    lock.lock();
    try {
      pages.clear();
    } finally {
      lock.unlock();
    }
  }
}
