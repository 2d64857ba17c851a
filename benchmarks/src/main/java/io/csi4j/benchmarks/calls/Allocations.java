package io.csi4j.benchmarks.calls;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** The bytes that the live threads of this JVM have allocated so far. */
final class Allocations {

  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final Map<Long, Long> bytes = new HashMap<>();

  private Allocations() {}

  /** Returns the allocations up to now. */
  static Allocations now() {
    Allocations now = new Allocations();
    long[] ids = THREADS.getAllThreadIds();
    long[] each = THREADS.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      // The number is negative for a thread that has ended meanwhile.
      if (each[i] >= 0) {
        now.bytes.put(ids[i], each[i]);
      }
    }
    return now;
  }

  /** Returns the bytes allocated since {@code before} by the threads that are still alive. */
  long since(Allocations before) {
    long sum = 0;
    for (Map.Entry<Long, Long> each : bytes.entrySet()) {
      sum += each.getValue() - before.bytes.getOrDefault(each.getKey(), 0L);
    }
    return sum;
  }
}
