package io.csi4j.benchmarks.many;

import com.sun.management.OperatingSystemMXBean;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.WantedUse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Starts a manager over the volumes that {@link MakeVolumes} left mounted, several times in one
 * JVM, and prints the cost of each start. The arguments are ROOT COUNT KERNEL PATH STARTS. Each
 * line contains the number of the start, the name of a figure, and the figure: nanoseconds, bytes
 * for a volume, or threads.
 */
public final class AdoptVolumes {

  /** The beginning of the line that is printed when the first start has found all volumes. */
  static final String OPENED = "0 open ";

  private static final int LISTINGS = 5;

  private AdoptVolumes() {}

  /** Runs the starts one after the other. */
  public static void main(String[] words) throws IOException {
    int count = Integer.parseInt(words[1]);
    try (Kernel kernel = Kernel.of(words[2], words[3])) {
      for (int number = 0; number < Integer.parseInt(words[4]); number++) {
        start(number, Path.of(words[0]), kernel, count);
      }
    }
  }

  private static void start(int number, Path root, Kernel kernel, int count) {
    List<WantedUse> wanted =
        IntStream.range(0, count)
            .<WantedUse>mapToObj(i -> new WantedUse.Named(Node.usage(i)))
            .toList();
    double before = heap();
    double cpu = cpu();
    long begun = System.nanoTime();
    try (Started node = kernel.start(root)) {
      double open = (double) (System.nanoTime() - begun);
      say(number, "open", open);
      say(number, "cpu", cpu() - cpu);
      RecoveryReport found = node.found();
      if (found.adopted().size() != count) {
        throw new IllegalStateException("Adopted " + found.adopted().size() + ": " + found);
      }
      begun = System.nanoTime();
      node.tell(wanted);
      say(number, "told", (double) (System.nanoTime() - begun));
      for (int i = 0; i < LISTINGS; i++) {
        begun = System.nanoTime();
        int listed = node.list().size();
        say(number, "list", (double) (System.nanoTime() - begun));
        if (listed != count) {
          throw new IllegalStateException("Listed " + listed);
        }
      }
      say(number, "heap", (heap() - before) / count);
      say(number, "threads", (double) threads());
    }
  }

  private static void say(int number, String name, double figure) {
    System.out.printf(Locale.ROOT, "%d %s %.1f%n", number, name, figure);
  }

  private static double cpu() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private static double heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("csi4j"))
        .count();
  }
}
