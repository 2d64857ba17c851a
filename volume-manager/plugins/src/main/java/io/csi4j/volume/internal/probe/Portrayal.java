package io.csi4j.volume.internal.probe;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.IdentityService;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.identity.PluginInfo;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodeInfo;
import io.csi4j.client.node.NodeService;
import io.csi4j.volume.internal.plugin.PluginTrouble;
import io.csi4j.volume.internal.plugin.Prober;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginFingerprint.Version;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.Text;
import io.csi4j.volume.plugin.PluginRole;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The questions what a plugin is and can do, asked one after the other. One that fails does not
 * keep the others from being asked, unless there is no answer at all.
 */
final class Portrayal {

  private final CsiPlugin plugin;
  private final PluginConfig config;
  private final UnaryOperator<CallPolicy> once;
  private final List<PluginTrouble> troubles = new ArrayList<>();
  private @Nullable PluginInfo info;
  private @Nullable CapabilitySet<PluginCapability> offered;
  private @Nullable CapabilitySet<ControllerCapability> controller;
  private @Nullable CapabilitySet<NodeCapability> node;
  private Optional<NodeInfo> nodeInfo = Optional.empty();

  Portrayal(CsiPlugin plugin, PluginConfig config, UnaryOperator<CallPolicy> once) {
    this.plugin = plugin;
    this.config = config;
    this.once = once;
  }

  /** Asks them; completes when all is over, and never with a failure. */
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
    IdentityService.Async identity = plugin.identity().with(once).async();
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
                  plugin.controller().with(once).async()::getCapabilities,
                  told -> controller = told));
    }
    if (config.roles().contains(PluginRole.NODE)) {
      NodeService.Async service = plugin.node().with(once).async();
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
   * Nothing if the plugin does not have the call, unless its controller attaches volumes: then it
   * has to say to which node. An instance without a controller cannot know, and is believed.
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

  /** Whether the next question makes sense. */
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

  /** Returns the portrait made of the answers. */
  Prober.Portrait portrait(Instant now, List<String> nonsense, String process) {
    return new Prober.Portrait(
        whole(now), Optional.ofNullable(info).map(PluginInfo::name), trouble(), nonsense, process);
  }

  private Optional<PluginFingerprint> whole(Instant now) {
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
            now));
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

  /** All that failed, in the kind of the first. */
  private Optional<PluginTrouble> trouble() {
    if (troubles.isEmpty()) {
      return Optional.empty();
    }
    PluginTrouble first = troubles.get(0);
    List<String> texts = troubles.stream().map(each -> each.text().value()).toList();
    return Optional.of(PluginTrouble.of(first.reason(), first.code(), String.join("; ", texts)));
  }
}
