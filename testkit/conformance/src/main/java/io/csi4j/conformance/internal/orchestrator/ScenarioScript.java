package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry.Status;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parses the steps of a scenario from its row. Each step is a verb with an argument, and semicolons
 * separate the steps. The orders {@code one} and {@code two} are for two workloads of one volume,
 * and the order {@code other} is for another volume. A fault is a line of a {@link FaultScript}.
 */
final class ScenarioScript {

  private static final Map<String, VolumeHealthEntry> SICKNESSES =
      Map.of(
          "slow",
          VolumeHealthEntry.of(Status.DEGRADED, HealthReason.of("DiskSlow"), "one disk is slow"),
          "offline",
          VolumeHealthEntry.of(
              Status.INACCESSIBLE, HealthReason.of("PoolOffline"), "the pool is offline"));

  private static final StorageHealthEntry UNREACHABLE =
      StorageHealthEntry.of(
          StorageHealthEntry.Status.STORAGE_UNREACHABLE.number(),
          HealthReason.of("NetworkDown"),
          "no path to the storage",
          Optional.empty());

  private static final Map<String, BiConsumer<ScenarioScript, String>> VERBS =
      Map.ofEntries(
          Map.entry("mount", ScenarioScript::mount),
          Map.entry("begin-mount", (it, order) -> it.begun = it.play.beginMount(it.order(order))),
          Map.entry("outcome", ScenarioScript::outcome),
          Map.entry("try-mount", ScenarioScript::tryMount),
          Map.entry("refuse", ScenarioScript::refuse),
          Map.entry("unmount", ScenarioScript::unmount),
          Map.entry("begin-unmount", (it, order) -> it.play.beginUnmount(it.order(order))),
          Map.entry(
              "unmount-nothing", (it, order) -> it.play.expectNothingToUnmount(it.order(order))),
          Map.entry("refresh", ScenarioScript::refresh),
          Map.entry("try-refresh", (it, order) -> it.play.tryRefresh(it.order(order))),
          Map.entry("published", ScenarioScript::published),
          Map.entry("publications", ScenarioScript::publications),
          Map.entry("ready", (it, order) -> it.play.expectReady(it.order(order))),
          Map.entry("staged-once", (it, none) -> it.play.expectStagedOnce()),
          Map.entry("none", ScenarioScript::none),
          Map.entry("fault", ScenarioScript::fault),
          Map.entry("hits", ScenarioScript::hits),
          Map.entry("no-faults", (it, none) -> it.play.plugin().clearFaults()),
          Map.entry("called", (it, step) -> it.call = it.play.awaitCall(operation(step))),
          Map.entry("worked", (it, none) -> it.play.awaitWorked(Objects.requireNonNull(it.call))),
          Map.entry("ended", (it, none) -> it.play.awaitEnd(Objects.requireNonNull(it.call))),
          Map.entry("sent-once", ScenarioScript::sentOnce),
          Map.entry("release", (it, none) -> it.play.plugin().release()),
          Map.entry("quiet", (it, none) -> it.play.awaitQuiet()),
          Map.entry("crash", (it, none) -> it.play.restart()),
          Map.entry("restart-plugin", (it, none) -> it.play.plugin().restart()),
          Map.entry("replace-socket", (it, none) -> it.play.plugin().replaceSocket()),
          Map.entry("upgrade", (it, shape) -> it.play.upgrade(Scenarios.shape(shape))),
          Map.entry("sick", ScenarioScript::sick),
          Map.entry("storage-gone", (it, none) -> it.play.plugin().storageHealth(UNREACHABLE)),
          Map.entry("well", (it, none) -> it.play.plugin().clearHealth()),
          Map.entry("only-offered", (it, none) -> it.onlyOffered()),
          Map.entry("forget", (it, none) -> it.play.forget()));

  private final Play play;
  private final Map<String, Path> paths = new HashMap<>();
  private @Nullable FaultRule rule;
  private @Nullable RecordedCall call;
  private @Nullable Future<Path> begun;

  private ScenarioScript(Play play) {
    this.play = play;
  }

  /** Parses the steps of a row. */
  static Consumer<Play> of(String steps) {
    List<Consumer<ScenarioScript>> all =
        Arrays.stream(steps.split("; ")).map(ScenarioScript::step).toList();
    return play -> {
      ScenarioScript script = new ScenarioScript(play);
      all.forEach(step -> step.accept(script));
    };
  }

  private static Consumer<ScenarioScript> step(String text) {
    String[] parts = text.split(" ", 2);
    BiConsumer<ScenarioScript, String> verb = VERBS.get(parts[0]);
    if (verb == null) {
      throw new IllegalStateException("No step of scenarios.tsv is: " + text);
    }
    return script -> verb.accept(script, parts.length == 1 ? "" : parts[1]);
  }

  private MountOrder order(String name) {
    return switch (name) {
      case "one" -> play.order();
      case "one-alone" -> play.order().as(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER));
      case "two" -> Play.workload(2, play.order());
      case "two-reading" -> Play.workload(2, play.order()).forReading();
      case "other" -> play.order(2);
      default -> throw new IllegalStateException("No order of scenarios.tsv is: " + name);
    };
  }

  private static CsiOperation operation(String rpc) {
    return CsiOperation.ofRpcName(rpc).orElseThrow();
  }

  private void mount(String order) {
    Path path = play.mount(order(order));
    Path before = paths.put(order, path);
    play.expect(before == null || before.equals(path), "Its path changed meanwhile.");
    play.expect(
        paths.values().stream().filter(path::equals).count() == 1,
        "Two workloads were given one path.");
  }

  /** Requests a mount once. The orchestrator may refuse the request. */
  private void tryMount(String name) {
    begun = play.beginMount(order(name));
    outcome(name);
  }

  /** Waits for the result of the mount in progress. The mount may fail. */
  private void outcome(String name) {
    MountOrder order = order(name);
    play.outcome(Play.mounting(order), Objects.requireNonNull(begun))
        .value()
        .ifPresent(
            path -> {
              play.expectPublished(order, path);
              paths.put(name, path);
            });
  }

  /**
   * Expects that a mount fails. The argument contains the order and the reason for the expectation.
   */
  private void refuse(String words) {
    String[] parts = words.split(": ", 2);
    play.expectNoMount(order(parts[0]), parts[1]);
  }

  private void unmount(String order) {
    play.unmount(order(order));
    paths.remove(order);
  }

  private void refresh(String order) {
    play.expect(
        play.tryRefresh(order(order)).failure().isEmpty(),
        "A refresh failed although nothing blocked it.");
  }

  private void published(String order) {
    play.expectPublished(order(order), Objects.requireNonNull(paths.get(order)));
  }

  private void publications(String number) {
    play.expectPublications(play.order(), Integer.parseInt(number));
  }

  /**
   * Expects that no call of an operation has arrived. The argument contains the operation and the
   * reason for the expectation.
   */
  private void none(String words) {
    String[] parts = words.split(": ", 2);
    play.expectNone(operation(parts[0]), parts[1]);
  }

  /**
   * Expects that no later call has the same request as the first call of an operation. The argument
   * contains the operation and the reason for the expectation.
   */
  private void sentOnce(String words) {
    String[] parts = words.split(": ", 2);
    List<RecordedCall> calls = play.plugin().journal().calls(operation(parts[0]));
    long same =
        calls.stream().filter(call -> call.request().equals(calls.get(0).request())).count();
    play.expect(
        same <= 1,
        "%s was sent %s times unchanged, although %s".formatted(parts[0], same, parts[1]));
  }

  private void sick(String words) {
    String[] parts = words.split(" ");
    play.plugin()
        .health(
            order(parts[0]).volume(),
            Arrays.stream(parts)
                .skip(1)
                .map(each -> Objects.requireNonNull(SICKNESSES.get(each), each))
                .toArray(VolumeHealthEntry[]::new));
  }

  private void onlyOffered() {
    PluginShape shape = play.plugin().shape();
    if (!shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
      play.expectNone(CsiOperation.NODE_STAGE_VOLUME, "the plugin does not stage.");
      play.expectNone(CsiOperation.NODE_UNSTAGE_VOLUME, "the plugin does not stage.");
    }
    if (!shape.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
      play.expectNone(CsiOperation.CONTROLLER_PUBLISH_VOLUME, "the plugin does not attach.");
      play.expectNone(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, "the plugin does not attach.");
    }
  }

  private void fault(String line) {
    FaultScript.Rule next = FaultScript.parse("scenarios.tsv", List.of(line)).rules().get(0);
    rule = play.plugin().inject(next.fault(), next.when());
  }

  /**
   * Expects that the last injected fault acted this number of times. Without a number, one time or
   * more is enough.
   */
  private void hits(String number) {
    long hits = Objects.requireNonNull(rule).hits();
    play.expect(
        number.isEmpty() ? hits > 0 : hits == Long.parseLong(number),
        "The call that should fail was sent " + hits + " times.");
  }
}
