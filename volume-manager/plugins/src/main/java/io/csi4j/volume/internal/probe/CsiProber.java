package io.csi4j.volume.internal.probe;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.IdentityService;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.link.PluginLink;
import io.csi4j.volume.internal.plugin.PluginTrouble;
import io.csi4j.volume.internal.plugin.Prober;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginFingerprint.Version;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.Text;
import io.csi4j.volume.plugin.PluginRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the plugin at a socket, one question at a time, over the same connection as node calls and
 * controller calls. Uses a thread only while it connects.
 */
public final class CsiProber implements Prober {

  private static final int MOST_NONSENSE = 64;

  private final PluginConfig config;
  private final PluginProcesses processes;
  private final Clock clock;
  private final PluginLink link;
  private final Queue<String> nonsense = new ConcurrentLinkedQueue<>();

  /** Creates a prober that has not started. */
  public CsiProber(
      PluginConfig config, PluginProcesses processes, Clock clock, PluginConnections connections) {
    this.config = config;
    this.processes = processes;
    this.clock = clock;
    link = connections.link(config.endpoint(), options());
  }

  /**
   * Returns the connect options. The prober asks for the readiness separately, so connecting may
   * take only half of the time limit.
   */
  private ConnectOptions options() {
    return config.connectOptions().toBuilder()
        .requireReady(false)
        .deadline(config.probeLimit().dividedBy(2).plusNanos(1))
        .policies(this::once)
        .listener(
            new CsiListener() {
              @Override
              public void onWarning(Warning event) {
                if (nonsense.size() < MOST_NONSENSE) {
                  nonsense.add(event.operation().rpcName() + ": " + event.violation());
                }
              }
            })
        .build();
  }

  private CallPolicy.Builder once(CallPolicy.Builder policy) {
    Duration limit = config.probeLimit();
    return policy.attempts(1).attemptDeadline(limit).budget(limit);
  }

  @Override
  public String socket() {
    return processes.socket(config.endpoint().path());
  }

  @Override
  public void probe(Consumer<Pulse> then) {
    if (!link.isConnected() && socket().isEmpty()) {
      then.accept(
          bad(
              PluginTrouble.of(
                  Reason.NO_SOCKET, OperatorCode.PLUGIN_NOT_UP, "there is no socket")));
      return;
    }
    link.use(
        way -> {
          if (way instanceof PluginLink.Way.Open there) {
            probe(there.plugin(), true, then);
          } else if (way instanceof PluginLink.Way.Shut shut) {
            then.accept(
                bad(
                    shut.cause()
                        .map(cause -> PluginTrouble.of(cause, config.probeLimit()))
                        .orElseGet(
                            () ->
                                PluginTrouble.of(
                                    Reason.ERROR, OperatorCode.PLUGIN_NOT_UP, shut.text()))));
          }
        });
  }

  /**
   * Probes the plugin. Tries once more if the call was lost, because the first call may have used
   * the connection to an ended process.
   */
  private void probe(CsiPlugin plugin, boolean maybeAgain, Consumer<Pulse> then) {
    CompletionStage<Readiness> asked;
    try {
      asked = plugin.identity().with(this::once).async().probe();
    } catch (RuntimeException | Error failed) {
      asked = CompletableFuture.failedFuture(failed);
    }
    asked.whenComplete(
        (readiness, thrown) -> {
          if (thrown != null && maybeAgain && Answer.isLost(thrown)) {
            probe(plugin, false, then);
          } else if (thrown != null) {
            then.accept(bad(PluginTrouble.of(Unwrapped.of(thrown), config.probeLimit())));
          } else {
            Optional<PluginTrouble> unready = PluginTrouble.of(readiness);
            then.accept(new Pulse(unready, unready.isEmpty() ? processes.word(plugin) : ""));
          }
        });
  }

  private static Pulse bad(PluginTrouble trouble) {
    return new Pulse(Optional.of(trouble), "");
  }

  @Override
  public void portray(Consumer<Portrait> then) {
    link.use(
        way -> {
          if (way instanceof PluginLink.Way.Open there) {
            CsiPlugin plugin = there.plugin();
            Portrayal portrayal = new Portrayal(plugin);
            portrayal.ask().whenComplete((none, thrown) -> then.accept(portrayal.portrait()));
          } else {
            then.accept(
                new Portrait(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(
                        PluginTrouble.of(
                            Reason.ERROR, OperatorCode.PLUGIN_NOT_UP, "the connection was ended")),
                    List.of(),
                    ""));
          }
        });
  }

  private List<String> drained() {
    List<String> all = new ArrayList<>();
    for (String each = nonsense.poll(); each != null; each = nonsense.poll()) {
      all.add(each);
    }
    return all;
  }

  @Override
  public void close() {
    var unused = link.closeAside("it is no longer supervised");
  }

  /**
   * The questions about the identity and the capabilities of a plugin, which are asked one after
   * the other. A failed question does not stop the next questions, unless the plugin did not answer
   * at all.
   */
  private final class Portrayal {

    private final CsiPlugin plugin;
    private final List<PluginTrouble> troubles = new ArrayList<>();
    private @Nullable PluginInfo info;
    private @Nullable CapabilitySet<PluginCapability> offered;
    private @Nullable CapabilitySet<ControllerCapability> controller;
    private @Nullable CapabilitySet<NodeCapability> node;
    private Optional<NodeInfo> nodeInfo = Optional.empty();

    Portrayal(CsiPlugin plugin) {
      this.plugin = plugin;
    }

    /**
     * Asks the questions. The result completes after the last question, and never with a failure.
     */
    CompletionStage<Boolean> ask() {
      CompletionStage<Boolean> goesOn = CompletableFuture.completedFuture(true);
      for (Supplier<CompletionStage<Boolean>> question : questions()) {
        goesOn =
            goesOn.thenCompose(on -> on ? question.get() : CompletableFuture.completedFuture(on));
      }
      return goesOn;
    }

    private List<Supplier<CompletionStage<Boolean>>> questions() {
      List<Supplier<CompletionStage<Boolean>>> questions = new ArrayList<>();
      IdentityService.Async identity = plugin.identity().with(CsiProber.this::once).async();
      questions.add(
          () -> ask(CsiOperation.GET_PLUGIN_INFO, identity::getPluginInfo, told -> info = told));
      questions.add(
          () ->
              ask(
                  CsiOperation.GET_PLUGIN_CAPABILITIES,
                  identity::getPluginCapabilities,
                  told -> offered = told));
      if (config.roles().contains(PluginRole.CONTROLLER)) {
        questions.add(
            () ->
                ask(
                    CsiOperation.CONTROLLER_GET_CAPABILITIES,
                    plugin.controller().with(CsiProber.this::once).async()::getCapabilities,
                    told -> controller = told));
      }
      if (config.roles().contains(PluginRole.NODE)) {
        NodeService.Async service = plugin.node().with(CsiProber.this::once).async();
        questions.add(
            () ->
                ask(
                    CsiOperation.NODE_GET_CAPABILITIES,
                    service::getCapabilities,
                    told -> node = told));
        questions.add(
            () ->
                ask(
                    CsiOperation.NODE_GET_INFO,
                    () -> mayLack(service.getInfo()),
                    told -> nodeInfo = told));
      }
      return questions;
    }

    /**
     * Returns empty if the plugin does not serve the call. This is a failure if the plugin's
     * controller attaches volumes, because such a plugin must report its node. An instance without
     * a controller does not show whether volumes are attached, so it is trusted.
     */
    private CompletionStage<Optional<NodeInfo>> mayLack(CompletionStage<NodeInfo> asked) {
      CapabilitySet<ControllerCapability> can = controller;
      boolean attaches = can != null && can.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
      return asked
          .thenApply(Optional::of)
          .exceptionallyCompose(
              thrown ->
                  !attaches
                          && Unwrapped.of(thrown) instanceof CsiException failed
                          && failed.code() == StatusCode.UNIMPLEMENTED
                      ? CompletableFuture.completedFuture(Optional.empty())
                      : CompletableFuture.failedFuture(thrown));
    }

    /** Asks one question. The result is false if the next question would be useless. */
    private <T> CompletionStage<Boolean> ask(
        CsiOperation operation, Supplier<CompletionStage<T>> question, Consumer<T> answer) {
      CompletionStage<T> asked;
      try {
        asked = question.get();
      } catch (RuntimeException | Error failed) {
        asked = CompletableFuture.failedFuture(failed);
      }
      return asked.handle(
          (told, thrown) -> {
            if (thrown == null) {
              answer.accept(told);
              return true;
            }
            PluginTrouble trouble = PluginTrouble.of(Unwrapped.of(thrown), config.probeLimit());
            troubles.add(
                new PluginTrouble(
                    trouble.reason(),
                    trouble.reason() == Reason.ERROR
                        ? OperatorCode.CAPABILITIES_UNKNOWN
                        : trouble.code(),
                    new Text(operation.rpcName() + ": " + trouble.text())));
            return trouble.reason() == Reason.ERROR;
          });
    }

    /** Returns the portrait with all answers. */
    Portrait portrait() {
      return new Portrait(
          whole(),
          Optional.ofNullable(info).map(PluginInfo::name),
          trouble(),
          drained(),
          processes.word(plugin));
    }

    private Optional<PluginFingerprint> whole() {
      PluginInfo who = info;
      CapabilitySet<PluginCapability> can = offered;
      if (!troubles.isEmpty() || who == null || can == null) {
        return Optional.empty();
      }
      return Optional.of(
          new PluginFingerprint(
              who.name(),
              new Version(who.vendorVersion()),
              can,
              Optional.ofNullable(controller),
              facts(),
              clock.wall()));
    }

    private Optional<NodeFacts> facts() {
      return Optional.ofNullable(node)
          .map(
              can ->
                  new NodeFacts(
                      nodeInfo.map(NodeInfo::nodeId),
                      nodeInfo.map(NodeInfo::maxVolumesPerNode).orElseGet(OptionalLong::empty),
                      nodeInfo.flatMap(NodeInfo::accessibleTopology),
                      can));
    }

    /** Returns all failures as one trouble, with the reason of the first failure. */
    private Optional<PluginTrouble> trouble() {
      if (troubles.isEmpty()) {
        return Optional.empty();
      }
      PluginTrouble first = troubles.get(0);
      List<String> texts = troubles.stream().map(each -> each.text().value()).toList();
      return Optional.of(PluginTrouble.of(first.reason(), first.code(), String.join("; ", texts)));
    }
  }
}
