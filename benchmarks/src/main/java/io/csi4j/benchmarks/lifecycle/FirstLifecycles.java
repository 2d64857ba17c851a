package io.csi4j.benchmarks.lifecycle;

import com.sun.management.OperatingSystemMXBean;
import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.Program;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.state.JournalSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Measures the first lifecycles of volumes in a JVM, with pauses as on a node that mounts a few
 * volumes a minute. The arguments are DIRECTORY SOCKET MODE. Prints the processor time for one
 * lifecycle, including the time of the JVM's compilers.
 */
public final class FirstLifecycles {

  /** The number of lifecycles that are measured, after one that opens the connection. */
  static final int COUNT = 200;

  private static final long PAUSE_MILLIS = 10;
  private static final String FIGURE = "each ";

  private FirstLifecycles() {}

  /** The code that a JVM runs for one lifecycle. */
  enum Mode {
    /** Mounts and unmounts through a manager. */
    MANAGED,
    /** Makes only the four calls, by the stub that gRPC generates. */
    BARE
  }

  /** Runs a new JVM, and returns the nanoseconds of processor time for one lifecycle. */
  static double nanosEach(Path directory, CsiEndpoint endpoint, Mode mode)
      throws IOException, InterruptedException {
    List<String> said =
        Program.java(
            "256m",
            FirstLifecycles.class,
            directory.toString(),
            endpoint.path().toString(),
            mode.name());
    return said.stream()
        .filter(line -> line.startsWith(FIGURE))
        .mapToDouble(line -> Double.parseDouble(line.substring(FIGURE.length())))
        .findFirst()
        .orElseThrow(() -> new IOException("no figure in " + said));
  }

  /** Runs the measurement in this JVM. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]);
    CsiEndpoint endpoint = CsiEndpoint.of(Path.of(words[1]));
    PluginId plugin = Volumes.plugin(endpoint);
    IntFunction<MountRequest> requests = caller -> Volumes.request(plugin, caller);
    if (Mode.valueOf(words[2]) == Mode.MANAGED) {
      try (VolumeManager manager =
          VolumeManager.builder(directory.resolve("first"))
              .journal(JournalSettings.builder().acceptAnyFilesystem(true).build())
              .plugin(Volumes.binding(endpoint))
              .open()) {
        measure(new Volumes(manager, requests));
      }
    } else {
      Path unused = directory.resolve("unused-" + ProcessHandle.current().pid());
      try (BareChannel bare = BareChannel.to(endpoint);
          BareSyncs log = new BareSyncs(unused)) {
        measure(
            new BareLifecycle(
                bare.channel(),
                directory.resolve("first"),
                requests,
                log,
                List.of(),
                Optional.empty()));
      }
    }
  }

  private static void measure(Callers.Work work) throws Exception {
    OperatingSystemMXBean machine =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    work.doOnce(0);
    long before = machine.getProcessCpuTime();
    for (int i = 0; i < COUNT; i++) {
      work.doOnce(0);
      Thread.sleep(PAUSE_MILLIS);
    }
    double each = (double) (machine.getProcessCpuTime() - before) / COUNT;
    System.out.printf(Locale.ROOT, "%s%.0f%n", FIGURE, each);
  }
}
