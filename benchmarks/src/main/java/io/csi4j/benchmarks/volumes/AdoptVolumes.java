package io.csi4j.benchmarks.volumes;

import com.sun.management.OperatingSystemMXBean;
import io.csi4j.volume.LiveMount;
import io.csi4j.volume.RecoveryReport;
import io.csi4j.volume.VolumeManager;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Starts a manager over what {@link MakeVolumes} left, several times, and tells what it costs.
 * Arguments: the directory of the manager, how many volumes there are, the page for the results.
 */
public final class AdoptVolumes {

  private static final int ROUNDS = 5;
  private static final double MIB = 1 << 20;

  private AdoptVolumes() {}

  /**
   * One start.
   *
   * @param open seconds until it is open
   * @param cpu seconds of processors until it is open, of all threads of the JVM
   * @param told seconds until the host has told what it wants, and nothing was to do
   * @param heap what is used more than before, garbage collected
   * @param threads how many threads the manager has
   * @param mounts how many of the kernel's mounts there were
   */
  private record Start(
      double open, double cpu, double told, double heap, long threads, long mounts) {}

  /** Starts them one after the other, prints the figures, and writes the page. */
  public static void main(String[] words) throws IOException {
    Path root = Path.of(words[0]);
    int count = Integer.parseInt(words[1]);
    List<String> lines = new ArrayList<>();
    for (int round = 1; round <= ROUNDS; round++) {
      Start start = start(root, count);
      lines.add(
          String.format(
              Locale.ROOT,
              "| %s | %d | %.0f ms | %.0f ms | %.0f ms | %.1f MiB | %d |",
              round == 1 ? "1, a new JVM" : "" + round,
              start.mounts,
              1e3 * start.open,
              1e3 * start.cpu,
              1e3 * start.told,
              start.heap,
              start.threads));
    }
    String page =
        """
        # Volumes

        A manager is opened over %d volumes that are mounted, staged and published, with its journal on disk: \
        one after the other in one JVM with a heap of %.0f MiB at most. `open` adopts all of them; then the host \
        tells that it wants them all, and nothing is to do.

        JDK %s, Linux %s %s, %d cores.

        | start | mounts in the table | open | CPU for it | host tells what it wants | heap used more than before | threads |
        |---|--:|--:|--:|--:|--:|--:|
        %s
        """
            .formatted(
                count,
                Runtime.getRuntime().maxMemory() / MIB,
                System.getProperty("java.vm.version"),
                System.getProperty("os.version"),
                System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                String.join("\n", lines));
    System.out.print(page);
    Files.writeString(Path.of(words[2]), page);
  }

  private static Start start(Path root, int count) throws IOException {
    double before = heap();
    List<LiveMount> wanted =
        IntStream.range(0, count)
            .<LiveMount>mapToObj(i -> new LiveMount.Named(MakeVolumes.usage(i)))
            .toList();
    double wishes = heap() - before;
    long begun = System.nanoTime();
    double cpuBegun = cpu();
    try (VolumeManager manager = VolumeManager.open(root)) {
      double open = since(begun);
      double cpu = cpu() - cpuBegun;
      RecoveryReport found = manager.recovered();
      if (found.adopted().size() != count) {
        throw new IllegalStateException("Adopted " + found.adopted().size() + ": " + found);
      }
      begun = System.nanoTime();
      manager.reconcile(wanted).done().toCompletableFuture().join();
      double told = since(begun);
      return new Start(open, cpu, told, heap() - before - wishes, threads(), mounts());
    }
  }

  private static double since(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }

  private static double cpu() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / 1e9;
  }

  private static double heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MIB;
  }

  static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("csi4j-volume"))
        .count();
  }

  private static long mounts() throws IOException {
    try (var rows = Files.lines(Path.of("/proc/self/mountinfo"))) {
      return rows.count();
    }
  }
}
