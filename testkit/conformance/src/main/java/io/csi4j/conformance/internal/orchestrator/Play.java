package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginContents.Published;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A running scenario, with its plugin, its orchestrator, and the unmet expectations. */
public final class Play {

  /**
   * Maximum number of attempts for a request. After that number, the orchestrator counts as
   * failing.
   */
  private static final int ATTEMPTS = 10;

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

  private static final Set<CsiOperation> CARRYING_CONTEXT =
      Set.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME);

  private final FakeCsiPlugin plugin;
  private final RunningOrchestrator orchestrator;
  private final OrchestratorThreads workers;
  private final Duration patience;
  private final Map<VolumeId, VolumeContext> volumes = new LinkedHashMap<>();
  private final Map<String, MountOrder> ordered = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();
  private final AtomicLong callsBeforeCrash = new AtomicLong();

  Play(
      FakeCsiPlugin plugin,
      RunningOrchestrator orchestrator,
      OrchestratorThreads workers,
      Duration patience) {
    this.plugin = plugin;
    this.orchestrator = orchestrator;
    this.workers = workers;
    this.patience = patience;
  }

  FakeCsiPlugin plugin() {
    return plugin;
  }

  PluginContents contents() {
    return plugin.contents();
  }

  /** Returns the directory for the orchestrator's paths. */
  Path directory() {
    return orchestrator.directory();
  }

  /** Returns the unmet expectations so far. */
  List<String> problems() {
    return problems;
  }

  /**
   * Returns the number of the last call that arrived before the orchestrator crashed; 0 if it did
   * not crash.
   */
  long callsBeforeCrash() {
    return callsBeforeCrash.get();
  }

  // ---- orders

  /** Returns an order for a volume that several workloads may use. A new volume is created. */
  MountOrder order(VolumeId volume, ScenarioWorkload workload) {
    VolumeContext context =
        volumes.computeIfAbsent(
            volume,
            id -> {
              VolumeContext own =
                  VolumeContext.of(Map.of("share", "s-" + volumes.size(), "Case", "Kept "));
              addVolume(id, own);
              return own;
            });
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    VolumeCapability capability =
        plugin.shape().filesystems() ? VolumeCapability.mount(mode) : VolumeCapability.block(mode);
    return new MountOrder(volume, workload, capability, false, context);
  }

  /** Returns the first workload's order for the first volume. */
  MountOrder order() {
    return order(1);
  }

  /** Returns the first workload's order for the volume with this number. */
  MountOrder order(int volume) {
    return order(VolumeId.of("vol-" + volume), ScenarioWorkload.of("workload-1"));
  }

  /** Returns an order like {@code like} for the workload with this number. */
  static MountOrder workload(int number, MountOrder like) {
    return like.forWorkload(ScenarioWorkload.of("workload-" + number));
  }

  /** Upgrades the plugin. A plugin without a controller does not get one. */
  void upgrade(PluginShape next) {
    boolean hasController = plugin.shape().offers(PluginCapability.CONTROLLER_SERVICE);
    plugin.upgrade(hasController ? next : Scenario.onNode(next));
  }

  /** Stops the plugin, and makes it lose its state, except for its volumes. */
  void forget() {
    plugin.stop();
    plugin.forget();
    volumes.forEach(this::addVolume);
    plugin.start();
  }

  private void addVolume(VolumeId id, VolumeContext context) {
    plugin.addVolume(id, CapacityRange.exactly(1L << 30), context);
  }

  // ---- faults

  /** Injects a fault into each call of an operation. */
  FaultRule breakEach(CsiOperation step, Fault fault) {
    return plugin.inject(fault, When.calling(step));
  }

  /** Injects a fault into the next call of an operation. */
  FaultRule breakOnce(CsiOperation step, Fault fault) {
    return plugin.inject(fault, When.calling(step).once());
  }

  // ---- requests to the orchestrator

  Future<Path> beginMount(MountOrder order) {
    ordered.put(order.volume().value() + '\0' + order.workload().value(), order);
    OrchestratorUnderTest now = orchestrator.now();
    return workers.begin(() -> now.mount(order));
  }

  Future<Boolean> beginUnmount(MountOrder order) {
    OrchestratorUnderTest now = orchestrator.now();
    return workers.perform(() -> now.unmount(order.volume(), order.workload()));
  }

  /** Waits for the result of a request in progress. */
  <T> OrchestratorReply<T> outcome(String what, Future<T> begun) {
    return workers.answer(what, begun);
  }

  OrchestratorReply<Path> tryMount(MountOrder order) {
    return outcome(mounting(order), beginMount(order));
  }

  OrchestratorReply<Boolean> tryUnmount(MountOrder order) {
    return outcome(unmounting(order), beginUnmount(order));
  }

  /** Requests once that the orchestrator refreshes a workload's volume. */
  OrchestratorReply<Boolean> tryRefresh(MountOrder order) {
    OrchestratorUnderTest now = orchestrator.now();
    return outcome(
        "Refreshing " + subject(order, "for"), workers.perform(() -> now.refresh(order)));
  }

  /**
   * Requests the mount of an inline volume until it succeeds. Empty if the orchestrator does not
   * support inline volumes.
   */
  Optional<Path> mountInline(String volume, ScenarioWorkload workload) {
    String what = "Mounting inline volume '" + volume + "' for '" + workload + "'";
    VolumeContext attributes = VolumeContext.of(Map.of("size", "1Gi"));
    OrchestratorUnderTest now = orchestrator.now();
    return insist(
        what,
        () -> outcome(what, workers.begin(() -> now.mountInline(volume, workload, attributes))));
  }

  /** Requests the unmount of an inline volume until it succeeds. */
  void unmountInline(String volume, ScenarioWorkload workload) {
    String what = "Unmounting inline volume '" + volume + "' from '" + workload + "'";
    OrchestratorUnderTest now = orchestrator.now();
    boolean gone =
        insist(
            what, () -> outcome(what, workers.perform(() -> now.unmountInline(volume, workload))));
    expect(gone, what + " did not end.");
  }

  /** Requests a mount until it succeeds, and checks that the plugin has published the volume. */
  Path mount(MountOrder order) {
    Path path = insist(mounting(order), () -> tryMount(order));
    expectPublished(order, path);
    return path;
  }

  void unmount(MountOrder order) {
    insist(unmounting(order), () -> tryUnmount(order));
  }

  /**
   * Completes an unmount whose first attempt met an obstacle. If that attempt succeeded
   * nevertheless, a caller would not repeat it, so the next mount and unmount of the volume must
   * remove all leftovers.
   */
  void unmountAfter(OrchestratorReply<Boolean> first, MountOrder order) {
    if (first.value().isPresent()) {
      mount(order);
    }
    unmount(order);
  }

  /** Crashes the orchestrator, and starts it again. */
  void restart() {
    callsBeforeCrash.set(
        plugin.journal().calls().stream().mapToLong(RecordedCall::number).max().orElse(0));
    OrchestratorReply<Boolean> back =
        outcome("The restart of the orchestrator", workers.perform(orchestrator::restart));
    if (back.failure().isPresent()) {
      throw new StuckException(
          "The orchestrator did not restart after a crash: " + text(back.failure().get()));
    }
  }

  private static <T> T insist(String what, Supplier<OrchestratorReply<T>> request) {
    long pause = 20;
    OrchestratorReply<T> last = request.get();
    for (int i = 1; i < ATTEMPTS && last.value().isEmpty(); i++) {
      LockSupport.parkNanos(Duration.ofMillis(pause).toNanos());
      pause = Math.min(2 * pause, LONGEST_PAUSE.toMillis());
      last = request.get();
    }
    if (last.value().isEmpty()) {
      throw new StuckException(
          "%s failed %s times although nothing blocked it any more; the last failure: %s"
              .formatted(what, ATTEMPTS, text(last.failure().orElseThrow())));
    }
    return last.value().get();
  }

  static String mounting(MountOrder order) {
    return "Mounting " + subject(order, "for");
  }

  static String unmounting(MountOrder order) {
    return "Unmounting " + subject(order, "from");
  }

  private static String subject(MountOrder order, String of) {
    return "volume '" + order.volume() + "' " + of + " '" + order.workload() + "'";
  }

  private static String text(Throwable failure) {
    return SafeText.escape(failure.toString());
  }

  // ---- waiting

  /**
   * Waits until a call of the operation arrives. Does not wait if such a call has already arrived.
   */
  RecordedCall awaitCall(CsiOperation operation) {
    return await("a call of " + operation.rpcName(), call -> call.operation() == operation);
  }

  void awaitCalls(CsiOperation operation, int number) {
    await(
        number + " calls of " + operation.rpcName(),
        call -> plugin.journal().calls(operation).size() >= number);
  }

  /** Waits until the plugin has done the work of the call {@code begun}. */
  void awaitWorked(RecordedCall begun) {
    await(
        "the work of call " + begun.number(),
        call -> call.number() == begun.number() && call.worked());
  }

  /** Waits until the call {@code begun} has ended. */
  void awaitEnd(RecordedCall begun) {
    await(
        "the end of call " + begun.number(),
        call -> call.number() == begun.number() && call.end().isPresent());
  }

  /**
   * Waits until all calls that are now in flight have ended. The patience of the suite limits each
   * wait.
   */
  void awaitQuiet() {
    for (RecordedCall call : plugin.journal().inFlight()) {
      awaitEnd(call);
    }
  }

  private RecordedCall await(String what, Predicate<RecordedCall> fits) {
    try {
      return plugin.journal().await(fits, patience);
    } catch (AssertionError e) {
      throw new StuckException(
          "Expected " + what + " within " + patience.toMillis() + " ms, and it did not come.");
    }
  }

  // ---- expectations

  /** Records a problem unless {@code holds}. */
  void expect(boolean holds, String otherwise) {
    if (!holds) {
      problems.add(otherwise);
    }
  }

  /** Expects that a mount fails. {@code why} is the reason for the expectation. */
  void expectNoMount(MountOrder order, String why) {
    expect(tryMount(order).failure().isPresent(), "The mount succeeded, although " + why);
  }

  /** Expects that unmounting an unmounted volume succeeds. */
  void expectNothingToUnmount(MountOrder order) {
    expect(
        tryUnmount(order).failure().isEmpty(),
        "The orchestrator treated the unmount of an unmounted volume as a failure.");
  }

  /** Expects that the plugin has published the volume at this path, as the order requested. */
  void expectPublished(MountOrder order, Path path) {
    List<Published> there =
        contents().published().stream()
            .filter(each -> each.path().value().equals(path.toString()))
            .toList();
    expect(
        there.size() == 1 && there.get(0).volume().equals(order.volume()),
        mounting(order)
            + " gave "
            + SafeText.quote(path.toString())
            + ", where the plugin has published "
            + (there.isEmpty()
                ? "nothing"
                : there.stream()
                    .map(each -> "volume '" + each.volume() + "'")
                    .collect(Collectors.joining(" and ")))
            + ".");
    there.forEach(
        each ->
            expect(
                each.readonly() == order.readonly(),
                "%s was to be %s, but the plugin got another request."
                    .formatted(
                        mounting(order), order.readonly() ? "for reading only" : "for writing")));
  }

  /** Expects that the volume of the order has this number of publications. */
  void expectPublications(MountOrder order, int number) {
    long now = contents().published().stream().filter(each -> isOf(order, each.volume())).count();
    expect(
        now == number,
        "Volume '" + order.volume() + "' is published " + now + " times, not " + number + ".");
  }

  /** Expects that exactly one staging exists. */
  void expectStagedOnce() {
    int times = contents().staged().size();
    expect(times == 1, "The volume is staged " + times + " times, not once.");
  }

  /** Expects that the volume is staged and attached, as far as the plugin supports these steps. */
  void expectReady(MountOrder order) {
    expect(
        contents().staged().stream().anyMatch(each -> isOf(order, each.volume()))
            == plugin.shape().offers(NodeCapability.STAGE_UNSTAGE_VOLUME),
        "Volume '"
            + order.volume()
            + "' is used, but staged where it should not be, or not at all.");
    expect(
        contents().attached().stream().anyMatch(each -> isOf(order, each.volume()))
            == plugin.shape().offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME),
        "Volume '" + order.volume() + "' is used, but attached without need, or not at all.");
  }

  /** Expects that no call of this operation has arrived. */
  void expectNone(CsiOperation operation, String why) {
    int calls = plugin.journal().calls(operation).size();
    expect(calls == 0, operation.rpcName() + " was called " + calls + " times, although " + why);
  }

  private static boolean isOf(MountOrder order, VolumeId volume) {
    return order.volume().equals(volume);
  }

  /** Expects that every call that must contain the volume's context contains it unchanged. */
  private void expectContexts() {
    for (RecordedCall call : plugin.journal().calls()) {
      if (CARRYING_CONTEXT.contains(call.operation())) {
        Optional<VolumeContext> own = call.volume().map(volumes::get);
        expect(
            own.isEmpty() || own.get().reveal().equals(contextOf(call, own.get())),
            "%s (call %s) came with another volume_context than that of its volume."
                .formatted(call.operation().rpcName(), call.number()));
      }
    }
  }

  /**
   * Returns the volume context of a call. If the plugin accepts data about the workload, that data
   * is removed.
   */
  private Map<String, String> contextOf(RecordedCall call, VolumeContext own) {
    Map<String, String> sent = call.request().map("volume_context");
    return call.operation() == CsiOperation.NODE_PUBLISH_VOLUME
        ? plugin.shape().withoutFacts(own.reveal(), sent)
        : sent;
  }

  // ---- the end

  /** Unmounts all mounted volumes, and checks that no use of a volume remains. */
  void cleanUp() {
    plugin.clearFaults();
    plugin.release();
    for (MountOrder each : ordered.values()) {
      unmount(each);
    }
    if (!idle()) {
      problems.addAll(contents().pending());
    }
    awaitQuiet();
    expectContexts();
  }

  /**
   * Waits while the orchestrator cleans up in the background. The wait ends when the orchestrator
   * makes no more calls.
   */
  private boolean idle() {
    Duration quiet = patience.dividedBy(4);
    long deadline = System.nanoTime() + patience.toNanos();
    while (!contents().idle() && System.nanoTime() - deadline < 0) {
      int before = plugin.journal().events().size();
      try {
        plugin
            .journal()
            .await(call -> contents().idle() || plugin.journal().events().size() > before, quiet);
      } catch (AssertionError e) {
        return false;
      }
    }
    return contents().idle();
  }
}
