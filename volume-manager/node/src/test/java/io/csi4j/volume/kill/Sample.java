package io.csi4j.volume.kill;

import io.csi4j.mount.real.Scratch;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * What a process has at one moment.
 *
 * @param heap the bytes that a full collection leaves
 * @param threads how many threads live
 * @param descriptors how many descriptors are open, beside those of the JVM
 */
record Sample(long heap, long threads, long descriptors) {

  /** That of this process. */
  static Sample now() {
    // What the first collection makes reachable for nobody goes with the next ones.
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return new Sample(
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        Scratch.descriptors());
  }

  static Sample parse(String words) {
    long[] figures = Arrays.stream(words.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    return new Sample(figures[0], figures[1], figures[2]);
  }

  @Override
  public String toString() {
    return heap + " " + threads + " " + descriptors;
  }
}
