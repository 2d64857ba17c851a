package io.csi4j.volume.internal.plugin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;

/**
 * Protects listeners from too many events of a plugin that often changes its state. After many
 * changes within a few minutes, listeners receive only the newest state, once a minute. Not
 * thread-safe.
 */
final class Damper {

  /** Number of changes that count as many: three restarts, each with a failure and a recovery. */
  static final int MANY = 6;

  static final Duration WINDOW = Duration.ofMinutes(10);

  static final Duration PAUSE = Duration.ofMinutes(1);

  /** Maximum number that is counted. The number is only shown to people. */
  private static final int MOST = 10_000;

  private final Deque<Long> changes = new ArrayDeque<>();
  private boolean flapping;
  private long announced;
  private long told;

  /** Records a change. */
  void changed(long now) {
    if (changes.size() == MOST) {
      changes.removeFirst();
    }
    changes.addLast(now);
    forget(now);
  }

  /**
   * Returns the number of changes to announce now. Empty if there are no changes, or if changes
   * were announced recently.
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

  /** Records that changes were reported. */
  void told(long now) {
    told = now;
  }

  private void forget(long now) {
    while (!changes.isEmpty() && now - changes.getFirst() >= WINDOW.toNanos()) {
      changes.removeFirst();
    }
  }
}
