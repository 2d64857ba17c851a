package io.csi4j.volume.internal.plugin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;

/**
 * Keeps a plugin that often changes its state from flooding listeners. After many changes within
 * some minutes, listeners receive only the newest state, once a minute. Not thread-safe.
 */
final class Damper {

  /** The third restart; each has a failure and a return. */
  static final int MANY = 6;

  static final Duration WINDOW = Duration.ofMinutes(10);

  static final Duration PAUSE = Duration.ofMinutes(1);

  /** Maximum count of changes: the number is for people. */
  private static final int MOST = 10_000;

  private final Deque<Long> changes = new ArrayDeque<>();
  private boolean flapping;
  private long announced;
  private long told;

  /** Notes a change. */
  void changed(long now) {
    if (changes.size() == MOST) {
      changes.removeFirst();
    }
    changes.addLast(now);
    forget(now);
  }

  /**
   * Returns the number of changes to announce now; empty if there are none, or if some were
   * announced just now.
   */
  OptionalInt announcement(long now) {
    forget(now);
    boolean isMuch = changes.size() >= MANY;
    boolean isNew = isMuch && (!flapping || now - announced >= WINDOW.toNanos());
    flapping = isMuch;
    if (!isNew) {
      return OptionalInt.empty();
    }
    announced = now;
    told = now;
    return OptionalInt.of(changes.size());
  }

  /** Returns whether changes may be reported now. */
  boolean isOpen(long now) {
    return !flapping || now - told >= PAUSE.toNanos();
  }

  /** Notes that changes were reported. */
  void told(long now) {
    told = now;
  }

  private void forget(long now) {
    while (!changes.isEmpty() && now - changes.getFirst() >= WINDOW.toNanos()) {
      changes.removeFirst();
    }
  }
}
