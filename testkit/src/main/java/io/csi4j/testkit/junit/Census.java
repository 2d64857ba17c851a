package io.csi4j.testkit.junit;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the plugins of a test run, and so knows which threads can only belong to one of them:
 * those that came while it was the only plugin there was.
 */
final class Census {

  /** How the names of a plugin's threads begin. */
  static final String THREADS = "csi4j-testkit-";

  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong opened = new AtomicLong();

  /** A plugin is about to be opened. */
  Stay enter() {
    boolean alone = open.getAndIncrement() == 0;
    return new Stay(alone, opened.incrementAndGet(), pluginThreads());
  }

  private static Set<Thread> pluginThreads() {
    Set<Thread> all = new HashSet<>(Thread.getAllStackTraces().keySet());
    all.removeIf(thread -> !thread.getName().startsWith(THREADS));
    return all;
  }

  /** One plugin's time in the census. */
  final class Stay {
    private final boolean aloneAtFirst;
    private final long number;
    private final Set<Thread> before;

    private Stay(boolean aloneAtFirst, long number, Set<Thread> before) {
      this.aloneAtFirst = aloneAtFirst;
      this.number = number;
      this.before = before;
    }

    /** The plugin was closed: which of its threads are left, as far as that can be told. */
    Set<Thread> leave() {
      Set<Thread> left = new HashSet<>();
      if (aloneAtFirst && opened.get() == number) {
        left.addAll(pluginThreads());
        left.removeAll(before);
      }
      open.decrementAndGet();
      return left;
    }
  }
}
