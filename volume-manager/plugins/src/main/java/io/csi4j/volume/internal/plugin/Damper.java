package io.csi4j.volume.internal.plugin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;

/**
 * Keeps a plugin that comes and goes from flooding those who are told: after so many changes within
 * some minutes they are told of the newest stand only, once a minute. Not safe for several threads.
 */
final class Damper {

  /** The third restart, with its fall and its return each. */
  static final int MANY = 6;

  static final Duration WINDOW = Duration.ofMinutes(10);

  static final Duration PAUSE = Duration.ofMinutes(1);

  /** More are not counted: the number is for people. */
  private static final int MOST = 10_000;

  private final Deque<Long> changes = new ArrayDeque<>();
  private boolean flapping;
  private long announced;
  private long told;

  /** Something changed. */
  void changed(long now) {
    if (changes.size() == MOST) {
      changes.removeFirst();
    }
    changes.addLast(now);
    forget(now);
  }

  /** How many changes are to be announced now; nothing if none, or if they were just now. */
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

  /** Whether changes may be told now. */
  boolean isOpen(long now) {
    return !flapping || now - told >= PAUSE.toNanos();
  }

  /** Changes were told. */
  void told(long now) {
    told = now;
  }

  private void forget(long now) {
    while (!changes.isEmpty() && now - changes.getFirst() >= WINDOW.toNanos()) {
      changes.removeFirst();
    }
  }
}
