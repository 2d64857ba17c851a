package io.csi4j.examples;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/**
 * The host of a trial, which runs in a separate process that the trial kills. The host reads orders
 * from its input, one on each line, and answers each order with one line. A use is written as
 * {@code VOLUME/WORKLOAD}.
 */
final class TrialHost {

  private final VolumeManager manager;
  private final Map<String, TrialVolume> volumes;
  private final PrintStream out;
  private boolean reconciled;

  private TrialHost(VolumeManager manager, Map<String, TrialVolume> volumes, PrintStream out) {
    this.manager = manager;
    this.volumes = volumes;
    this.out = out;
  }

  /**
   * Opens a manager in the given directory, with the driver at the given socket, and executes
   * orders until the process is killed. The third argument is the number of refused releases after
   * which the manager may unmount the remaining mounts without the driver.
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (VolumeManager manager =
        open(directory, CsiEndpoint.of(Path.of(args[1])), Integer.parseInt(args[2]))) {
      out.println("adopted " + told(manager.recovered().adopted()));
      new TrialHost(manager, TrialVolume.readAll(directory), out).obey();
    }
  }

  static VolumeManager open(Path directory, CsiEndpoint endpoint, int force) {
    return VolumeManager.builder(root(directory))
        .listener(event -> {})
        .plugin(PluginBinding.builder(TrialVolume.DRIVER, endpoint).policy(policy(force)).build())
        .open();
  }

  /** Returns the directory of the managers. */
  static Path root(Path directory) {
    return directory.resolve("volumes");
  }

  /** Short pauses, so that a trial does not wait for minutes after each kill. */
  private static MountPolicy policy(int force) {
    return MountPolicy.builder()
        .attemptDeadline(Duration.ofSeconds(20))
        .backoff(Duration.ofMillis(20))
        .backoffCap(Duration.ofMillis(500))
        .backgroundCap(Duration.ofMillis(500))
        .quarantine(Duration.ofSeconds(2))
        .forceAfterRefusals(force)
        .build();
  }

  private static String told(List<VolumeUse> uses) {
    return uses.stream().map(TrialHost::named).sorted().collect(Collectors.joining(" "));
  }

  private static String named(VolumeUse use) {
    return use.volume().id() + "/" + use.workload().value();
  }

  private void obey() throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      List<String> parts = Arrays.asList(order.split(" ", -1));
      List<String> uses = parts.subList(1, parts.size());
      switch (parts.get(0)) {
        case "start" -> start(uses.get(0));
        case "stop" -> stop(uses.get(0));
        case "want" -> want(uses);
        default -> throw new IllegalArgumentException(order);
      }
    }
  }

  private MountRequest request(String use) {
    String[] parts = use.split("/", 2);
    return Objects.requireNonNull(volumes.get(parts[0]), use).request(parts[1]);
  }

  private void start(String use) {
    manager
        .async()
        .mount(request(use))
        .whenComplete(
            (mounted, failure) ->
                out.println(
                    failure == null
                        ? "started " + use + " " + mounted.path()
                        : "failed " + use + " " + reason(failure)));
  }

  private void stop(String use) {
    manager
        .async()
        .unmount(request(use).usage())
        .whenComplete(
            (outcome, failure) ->
                out.println(
                    failure == null
                        ? "stopped " + use + " " + outcome
                        : "failed " + use + " " + reason(failure)));
  }

  /** Makes these uses the only wanted uses, and returns after each of them was tried. */
  private void want(List<String> uses) {
    List<WantedUse> wanted = new ArrayList<>();
    uses.forEach(use -> wanted.add(new WantedUse.Requested(request(use))));
    Reconciliation begun = keep(wanted);
    reconciled = true;
    Reconciliation.Summary summary = begun.done().toCompletableFuture().join();
    List<String> missing = new ArrayList<>();
    for (WantedUse each : wanted) {
      if (manager.hasMount(each.usage())) {
        out.println("present " + named(each.usage()) + " " + path(each.usage()));
      } else {
        missing.add(named(each.usage()) + " is not mounted");
      }
    }
    summary.left().stream()
        .map(left -> left.why().map(why -> why.line()).orElseGet(() -> left.item().toString()))
        .forEach(missing::add);
    out.println(missing.isEmpty() ? "settled" : "unsettled " + String.join("; ", missing));
  }

  /**
   * Passes the list of wanted uses to the manager. The manager refuses a list that contains none of
   * the existing uses, unless the host confirms the list.
   */
  private Reconciliation keep(List<WantedUse> wanted) {
    try {
      return reconciled ? manager.keepOnly(wanted) : manager.reconcile(wanted);
    } catch (VolumeException refused) {
      if (refused.code() != OperatorCode.LIST_TAKES_ALL) {
        throw refused;
      }
      manager.releaseFound().done().toCompletableFuture().join();
      return manager.keepOnly(wanted);
    }
  }

  private Path path(VolumeUse use) {
    return manager.status(use.volume()).stream()
        .map(VolumeStatus::uses)
        .flatMap(List::stream)
        .filter(each -> each.key().equals(use))
        .map(VolumeStatus.Use::path)
        .findFirst()
        .orElseThrow();
  }

  private static String reason(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return String.valueOf(cause.getMessage()).replace('\n', ' ');
  }
}
