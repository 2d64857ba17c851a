package io.csi4j.benchmarks.calls;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** How much the live threads of this JVM have allocated up to a moment. */
final class Allocations {

  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final Map<Long, Long> bytes = new HashMap<>();

  private Allocations() {}

  /** Up to now. */
  static Allocations now() {
    Allocations now = new Allocations();
    long[] ids = THREADS.getAllThreadIds();
    long[] each = THREADS.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      // Negative for a thread that has ended meanwhile.
      if (each[i] >= 0) {
        now.bytes.put(ids[i], each[i]);
      }
    }
    return now;
  }

  /** How much more than {@code before}, by the threads that still live. */
  long since(Allocations before) {
    long sum = 0;
    for (Map.Entry<Long, Long> each : bytes.entrySet()) {
      sum += each.getValue() - before.bytes.getOrDefault(each.getKey(), 0L);
    }
    return sum;
  }
}
