package io.csi4j.testkit.internal.backend;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Ids that were not given out before. */
final class NewIds {

  private final AtomicLong last = new AtomicLong();
  private final String mark;

  /** Ids that differ by {@code mark} from those of earlier lives of the plugin. */
  NewIds(String mark) {
    this.mark = mark;
  }

  /** A new id that begins with {@code kind} and is not among {@code taken}. */
  String next(String kind, Set<String> taken) {
    String id;
    do {
      id = kind + "-" + mark + last.incrementAndGet();
    } while (taken.contains(id));
    return id;
  }
}
