package io.csi4j.examples.ozone;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.WantedUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A host of Ozone's buckets in a process that can be killed. It reads an order a line, and prints
 * the outcome, a line each. A use is written {@code bucket:workload}.
 */
final class OzoneHost {

  private static final PluginId OZONE = PluginId.of("org.apache.hadoop.ozone");

  private OzoneHost() {}

  /** Opens a manager of the directory given first, with the plugin at the socket given second. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (VolumeManager manager =
        VolumeManager.builder(Path.of(arguments[0])).listener(event -> {}).open()) {
      manager.register(plugin(CsiEndpoint.of(Path.of(arguments[1]))));
      out.println(found(manager.recovered()));
      BufferedReader orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        out.println(outcome(manager, order.split(" ", -1)));
      }
    }
  }

  /** The plugin with short pauses and a short quarantine, so that no test waits for them. */
  private static PluginBinding plugin(CsiEndpoint endpoint) {
    return PluginBinding.builder(OZONE, endpoint)
        .policy(
            MountPolicy.builder()
                .backoff(Duration.ofMillis(10))
                .backoffCap(Duration.ofMillis(50))
                .backgroundCap(Duration.ofMillis(200))
                .quarantine(Duration.ofMillis(200))
                .healthInterval(Duration.ZERO)
                .build())
        .connectOptions(ConnectOptions.builder().deadline(Duration.ofSeconds(20)).build())
        .build();
  }

  private static String found(RecoveryReport report) {
    return "found adopted=%d inDoubt=%d going=%d"
        .formatted(report.adopted().size(), report.inDoubt().size(), report.going().size());
  }

  private static String outcome(VolumeManager manager, String[] order) {
    try {
      return switch (order[0]) {
        case "mount" -> "mounted " + manager.mount(request(order[1])).path();
        case "unmount" -> "unmounted " + manager.unmount(use(order[1]));
        case "abandon" -> "abandoned " + manager.abandon(use(order[1]), "the test says so");
        case "reconcile" -> reconciled(manager, List.of(order).subList(1, order.length));
        case "status" -> status(manager, order[1]);
        default -> throw new IllegalArgumentException(String.join(" ", order));
      };
    } catch (VolumeException e) {
      return "failed " + e.outcome() + " " + e.code();
    } catch (OperatorException e) {
      return "failed " + e.code();
    }
  }

  private static String reconciled(VolumeManager manager, List<String> wanted) {
    Reconciliation begun =
        wanted.isEmpty()
            ? manager.releaseFound()
            : manager.reconcile(
                wanted.stream().map(use -> new WantedUse.Requested(request(use))).toList());
    Reconciliation.Summary summary = begun.done().toCompletableFuture().join();
    return "reconciled mounted=%d released=%d failed=%d"
        .formatted(summary.mounted(), summary.released(), summary.failed());
  }

  /** The uses of a volume with their states. */
  private static String status(VolumeManager manager, String volume) {
    return "status "
        + manager.status(VolumeKey.of(volume)).stream()
            .flatMap(status -> status.uses().stream())
            .map(use -> use.key().workload() + "=" + use.status())
            .sorted()
            .collect(Collectors.joining(" "));
  }

  private static VolumeUse use(String word) {
    String[] parts = word.split(":", -1);
    return VolumeUse.of(VolumeKey.of(parts[0]), WorkloadId.of(parts[1]));
  }

  private static MountRequest request(String word) {
    VolumeUse use = use(word);
    return MountRequest.builder(
            OZONE, use, VolumeId.of(use.volume().id()), AccessMode.MULTI_NODE_MULTI_WRITER)
        .build();
  }
}
