package io.csi4j.testkit.internal.backend;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Ids that were not given out before, as long as the plugin lives. */
final class NewIds {

  private final AtomicLong last = new AtomicLong();

  /** A new id that begins with {@code kind} and is not among {@code taken}. */
  String next(String kind, Set<String> taken) {
    String id;
    do {
      id = kind + "-" + last.incrementAndGet();
    } while (taken.contains(id));
    return id;
  }
}
