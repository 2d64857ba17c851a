package io.csi4j.volume.kill;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.manager.CrashableManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The process that is killed: a manager that does what it reads, a line each, and says what came of
 * it, a line each. A use is written {@code volume:workload:plugin:handle:context}.
 */
final class EngineMain {

  static final PluginId PLUGIN = PluginId.of("hostpath.csi4j.example");

  /** So short that a recovery does not have to wait for minutes. */
  private static final Duration QUARANTINE = Duration.ofMillis(200);

  private final VolumeEngine engine;
  private final Gate gate;
  private final PrintStream out;

  private EngineMain(VolumeEngine engine, Gate gate, PrintStream out) {
    this.engine = engine;
    this.gate = gate;
    this.out = out;
  }

  /** Opens a manager of the directory given, with the plugins given as {@code id=socket}. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Gate gate = new Gate(out::println);
    List<PluginBinding> plugins =
        Arrays.stream(arguments).skip(1).map(word -> binding(word.split("=", 2))).toList();
    try (CrashableManager manager =
        CrashableManager.open(MountPath.of(arguments[0]), plugins, settings(), gate)) {
      out.println("opened " + told(manager.engine().report()));
      new EngineMain(manager.engine(), gate, out).obey();
    } catch (VolumeException refused) {
      out.println("refused " + refused.code() + " " + refused.getMessage());
    }
  }

  private static PluginBinding binding(String[] plugin) {
    return PluginBinding.builder(PluginId.of(plugin[0]), CsiEndpoint.of(Path.of(plugin[1])))
        .policy(policy())
        .connectOptions(KillWorld.PATIENT)
        .build();
  }

  private static ManagerSettings settings() {
    // As many threads as there are volumes that stand still at a moment.
    return ManagerSettings.builder()
        .threads(128)
        .tombstones(Duration.ofMinutes(1))
        .closing(Duration.ofSeconds(5))
        .build();
  }

  private static MountPolicy policy() {
    return MountPolicy.builder()
        .quarantine(QUARANTINE)
        .backoff(Duration.ofMillis(10))
        .backoffCap(Duration.ofMillis(100))
        .backgroundCap(Duration.ofMillis(100))
        .callsInFlight(128)
        .build();
  }

  private static String told(RecoveryReport found) {
    return "adopted="
        + found.adopted().size()
        + " inDoubt="
        + found.inDoubt().size()
        + " going="
        + found.going().size()
        + " findings="
        + found.findings().stream()
            .map(finding -> finding.code().name())
            .distinct()
            .sorted()
            .collect(Collectors.joining(","));
  }

  private void obey() throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      List<String> words = Arrays.asList(order.split(" ", -1));
      List<String> rest = words.subList(1, words.size());
      switch (words.get(0)) {
        case "arm" -> gate.arm(rest.get(0));
        case "passed" -> out.println("passed " + gate.passed());
        case "mount" -> mount(rest.get(0));
        case "unmount" -> unmount(rest.get(0));
        case "reconcile" -> reconcile(rest.stream());
        case "resting" -> out.println(resting() ? "resting" : "busy");
        case "has" -> out.println("has " + engine.hasMount(usage(rest.get(0))));
        case "measure" -> out.println("measured " + Sample.now());
        case "close" -> {
          return;
        }
        default -> throw new IllegalArgumentException(order);
      }
    }
  }

  private void mount(String use) {
    engine
        .mount(request(use))
        .whenComplete(
            (MountedVolume mounted, Throwable failure) ->
                out.println(
                    failure == null ? "mounted " + mounted.path() : "failed " + cause(failure)));
  }

  private void unmount(String use) {
    engine
        .unmount(usage(use))
        .whenComplete(
            (UnmountOutcome release, Throwable failure) ->
                out.println(failure == null ? "unmounted " + release : "failed " + cause(failure)));
  }

  private void reconcile(Stream<String> uses) {
    Reconciliation begun =
        engine.reconcile(
            uses.filter(use -> !use.isEmpty())
                .<WantedUse>map(use -> new WantedUse.Requested(request(use)))
                .toList());
    begun
        .done()
        .whenComplete(
            (Reconciliation.Summary summary, Throwable failure) ->
                out.println(
                    failure == null
                        ? "reconciled mounted=%d released=%d failed=%d"
                            .formatted(summary.mounted(), summary.released(), summary.failed())
                        : "failed " + cause(failure)));
  }

  /** Whether nothing is going on, and nothing will without being asked for. */
  private boolean resting() {
    return engine.volumes().stream()
        .allMatch(
            volume ->
                (volume.staging() == PathStatus.PRESENT || volume.staging() == PathStatus.NONE)
                    && !volume.uses().isEmpty()
                    && volume.uses().stream().allMatch(use -> use.status() == PathStatus.PRESENT));
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException wrapped && wrapped.getCause() != null
        ? wrapped.getCause()
        : failure;
  }

  private static VolumeUse usage(String use) {
    String[] parts = use.split(":", -1);
    return VolumeUse.of(VolumeKey.of(parts[0]), WorkloadId.of(parts[1]));
  }

  private static MountRequest request(String use) {
    String[] parts = use.split(":", 5);
    return MountRequest.builder(
            PluginId.of(parts[2]),
            usage(use),
            VolumeId.of(parts[3]),
            AccessMode.SINGLE_NODE_MULTI_WRITER)
        .volumeContext(VolumeContext.of(context(parts[4])))
        .build();
  }

  private static Map<String, String> context(String words) {
    return Arrays.stream(words.split(",", -1))
        .map(word -> word.split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }
}
