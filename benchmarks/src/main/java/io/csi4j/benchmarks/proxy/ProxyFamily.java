package io.csi4j.benchmarks.proxy;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Rounds;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodePublishVolumeRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures what a proxy adds to a call.
 *
 * <p>Arguments: a directory for sockets and recordings, the directory for results, and the total
 * seconds.
 */
public final class ProxyFamily {

  private static final double MOST_EXTRA = 150_000;
  private static final double MOST_TIMES_A_RELAY = 1.5;
  private static final int MOST_ROUNDS = 60;
  private static final int WARM_UPS = 6;

  private static final String INTRODUCTION =
      "Blocking calls of one caller through `CsiPlugin`, one after the other: to a plugin that does"
          + " nothing, and to the same plugin through a proxy (`CsiProxy`). Caller, proxy and plugin"
          + " have a JVM each. The proxy keeps its journal as it does by default, and judges each"
          + " answer; *recorded* means that it writes each call to a file as well. A *bare relay*"
          + " is the least that passing a call on can cost with the same gRPC: bytes in and out, on"
          + " one thread, nothing kept and nothing judged. All ways take turns; a figure is the"
          + " median call of a window.";

  private ProxyFamily() {}

  /** One path to the plugin, with or without a proxy. */
  private record Way(String name, CsiPlugin plugin, List<Double> probes, List<Double> publishes) {
    Way(String name, CsiPlugin plugin) {
      this(name, plugin, new ArrayList<>(), new ArrayList<>());
    }
  }

  /** Runs all measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]).toAbsolutePath();
    // The library refuses a socket in a directory where other users could replace it.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    double seconds = Double.parseDouble(words[2]);
    try (PluginProcess plugin = PluginProcess.start(directory.resolve("p.sock"));
        ProxyProcess passing =
            ProxyProcess.start(plugin.endpoint(), directory.resolve("passing.sock"));
        ProxyProcess recording =
            ProxyProcess.start(
                plugin.endpoint(),
                directory.resolve("recording.sock"),
                directory.resolve("calls.jsonl"));
        ProxyProcess relaying =
            ProxyProcess.startBare(plugin.endpoint(), directory.resolve("relaying.sock"));
        CsiPlugin direct = CsiPlugin.connect(plugin.endpoint());
        CsiPlugin relayed = CsiPlugin.connect(relaying.endpoint());
        CsiPlugin passed = CsiPlugin.connect(passing.endpoint());
        CsiPlugin recorded = CsiPlugin.connect(recording.endpoint())) {
      Way straight = new Way("direct", direct);
      Way through = new Way("through a proxy", passed);
      Way written = new Way("through a proxy, recorded", recorded);
      Way bare = new Way("through a bare relay", relayed);
      measure(List.of(straight, bare, through, written), seconds);
      List<Comparison> rows = new ArrayList<>(rows(bare, straight, Optional.empty()));
      rows.addAll(rows(through, straight, Goal.extra(MOST_EXTRA)));
      rows.addAll(rows(written, straight, Goal.extra(MOST_EXTRA)));
      rows.addAll(rows(through, bare, Goal.ratio(MOST_TIMES_A_RELAY)));
      new Report("The proxy", INTRODUCTION, rows).write(Path.of(words[1]), "proxy");
    }
  }

  private static List<Comparison> rows(Way way, Way limit, Optional<Goal> goal) {
    return List.of(
        Comparison.ofTimes(
            "Probe " + way.name(), limit.name(), 1, way.probes(), limit.probes(), goal),
        Comparison.ofTimes(
            "NodePublishVolume " + way.name(),
            limit.name(),
            1,
            way.publishes(),
            limit.publishes(),
            goal));
  }

  private static void measure(List<Way> ways, double seconds) {
    Rounds rounds = Rounds.in(seconds * 1000, ways.size() * 2, WARM_UPS, MOST_ROUNDS);
    NodePublishVolumeRequest publish = publish();
    for (int round = -WARM_UPS; round < rounds.count(); round++) {
      for (Way way : ways) {
        double probe = window(way.plugin(), plugin -> plugin.identity().probe(), rounds.millis());
        double published =
            window(way.plugin(), plugin -> plugin.node().publishVolume(publish), rounds.millis());
        if (round >= 0) {
          way.probes().add(probe);
          way.publishes().add(published);
        }
      }
    }
  }

  /** Returns the median duration of a call in a window, in nanoseconds. */
  private static double window(CsiPlugin plugin, Consumer<CsiPlugin> call, long millis) {
    long until = System.nanoTime() + millis * 1_000_000;
    long[] times = new long[1 << 16];
    int count = 0;
    for (long now = System.nanoTime(); now < until && count < times.length; ) {
      call.accept(plugin);
      long after = System.nanoTime();
      times[count++] = after - now;
      now = after;
    }
    Arrays.sort(times, 0, count);
    return times[count / 2];
  }

  private static NodePublishVolumeRequest publish() {
    return NodePublishVolumeRequest.builder(
            VolumeId.of("vol-0123456789abcdef"),
            PluginPath.of("/var/lib/csi/v/0123456789abcdef/target"),
            VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER))
        .stagingTargetPath(PluginPath.of("/var/lib/csi/v/0123456789abcdef/staging"))
        .volumeContext(VolumeContext.of(Map.of("pool", "fast", "server", "10.0.0.1")))
        .build();
  }
}
