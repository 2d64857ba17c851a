package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeService.NodeInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A plugin's description of itself. The queries are independent: if one fails, only its values are
 * missing.
 *
 * @param endpoint the endpoint of the plugin
 * @param peer the process behind the socket
 * @param transport the transport of the connection
 * @param info the name and version of the plugin
 * @param readiness whether the plugin is ready
 * @param capabilities the capabilities by service; empty for a service that the plugin does not
 *     serve at this endpoint
 * @param node the plugin's information about this node
 * @param failures the queries that failed, each with the reason
 */
record PluginPortrait(
    String endpoint,
    String peer,
    String transport,
    Optional<PluginInfo> info,
    Optional<Readiness> readiness,
    Map<String, Optional<CapabilitySet<?>>> capabilities,
    Optional<NodeInfo> node,
    List<String> failures) {

  private static final String UNKNOWN = "unknown";
  private static final List<String> SERVICES = List.of("plugin", "controller", "group", "node");

  /** Queries a plugin. */
  static PluginPortrait of(CsiPlugin plugin) {
    List<String> failures = new ArrayList<>();
    Map<String, Optional<CapabilitySet<?>>> capabilities = new HashMap<>();
    Optional<PluginInfo> info = told(() -> plugin.identity().getPluginInfo(), failures);
    Optional<Readiness> readiness = told(() -> plugin.identity().probe(), failures);
    Optional<CapabilitySet<PluginCapability>> offered =
        told(() -> plugin.identity().getPluginCapabilities(), failures);
    if (offered.isPresent()) {
      CapabilitySet<PluginCapability> all = offered.get();
      capabilities.put("plugin", Optional.of(all));
      capabilities.put("controller", Optional.empty());
      capabilities.put("group", Optional.empty());
      if (all.offers(PluginCapability.CONTROLLER_SERVICE)) {
        ask("controller", () -> plugin.controller().getCapabilities(), capabilities, failures);
      }
      if (all.offers(PluginCapability.GROUP_CONTROLLER_SERVICE)) {
        ask("group", () -> plugin.groupController().getCapabilities(), capabilities, failures);
      }
    }
    // No capability states whether this endpoint serves the node service, so the program must call
    // the service.
    ask("node", () -> plugin.node().getCapabilities(), capabilities, failures);
    Optional<NodeInfo> node = told(() -> plugin.node().getInfo(), failures);
    return new PluginPortrait(
        plugin.endpoint().toString(),
        plugin.peer().toString(),
        plugin.transport().name().toLowerCase(Locale.ROOT),
        info,
        readiness,
        capabilities,
        node,
        List.copyOf(failures));
  }

  private static void ask(
      String service,
      Supplier<CapabilitySet<?>> question,
      Map<String, Optional<CapabilitySet<?>>> capabilities,
      List<String> failures) {
    capabilities.remove(service);
    answer(question, failures).ifPresent(set -> capabilities.put(service, set));
  }

  private static <T> Optional<T> told(Supplier<? extends T> question, List<String> failures) {
    return answer(question, failures).flatMap(Function.identity());
  }

  /**
   * Returns the answer to a query. The outer optional is empty if the query fails, and the inner
   * optional is empty if the plugin does not serve the service.
   */
  private static <T> Optional<Optional<T>> answer(
      Supplier<? extends T> question, List<String> failures) {
    try {
      return Optional.of(Optional.of(question.get()));
    } catch (CsiUnsupportedException absent) {
      return Optional.of(Optional.empty());
    } catch (CsiException e) {
      failures.add(e.failure().message());
      return Optional.empty();
    }
  }

  boolean ready() {
    return readiness.filter(Readiness::isReady).isPresent();
  }

  /** Formats the description as a table of names and values. */
  String table() {
    List<String> lines = new ArrayList<>();
    row(lines, "name", info.map(it -> it.name().toString()).orElse(UNKNOWN));
    row(lines, "version", info.map(PluginInfo::vendorVersion).orElse(UNKNOWN));
    info.map(PluginInfo::manifest)
        .orElse(Map.of())
        .forEach((key, value) -> row(lines, "manifest", key + "=" + value));
    row(lines, "endpoint", endpoint);
    row(lines, "listener", peer + ", reached by " + transport);
    row(lines, "ready", readiness.map(PluginPortrait::words).orElse(UNKNOWN));
    SERVICES.forEach(service -> rows(lines, service));
    node.ifPresent(here -> node(lines, here));
    return String.join(System.lineSeparator(), lines);
  }

  private static String words(Readiness readiness) {
    return switch (readiness) {
      case READY -> "yes";
      case ASSUMED_READY -> "yes (assumed: the plugin does not say)";
      case NOT_READY -> "no, it is still starting";
    };
  }

  private void rows(List<String> lines, String service) {
    Optional<CapabilitySet<?>> offered = capabilities.get(service);
    if (offered == null || offered.isEmpty()) {
      row(lines, service, offered == null ? UNKNOWN : "not served here");
      return;
    }
    List<String> all =
        Stream.concat(
                offered.get().offered().stream().map(Enum::name),
                offered.get().unrecognized().stream().map(PluginPortrait::unrecognized))
            .toList();
    if (all.isEmpty()) {
      row(lines, service, "served, with the mandatory calls only");
    }
    for (int i = 0; i < all.size(); i++) {
      row(lines, i == 0 ? service : "", all.get(i));
    }
  }

  /**
   * Returns the names of a service's capabilities; empty if the plugin does not serve the service,
   * or if the query failed.
   */
  Optional<List<String>> offers(String service) {
    return Optional.ofNullable(capabilities.get(service))
        .flatMap(Function.identity())
        .map(
            set ->
                Stream.concat(set.offered().stream().map(Enum::name), set.unrecognized().stream())
                    .toList());
  }

  /**
   * Describes an unrecognized capability. The spec defines the number 0: it is the value of an
   * entry without a type.
   */
  private static String unrecognized(String capability) {
    boolean isEmpty = capability.equals("empty") || capability.endsWith(" 0");
    return capability + (isEmpty ? " (an entry without a capability)" : " (unknown to CSI 1.13)");
  }

  private static void node(List<String> lines, NodeInfo here) {
    row(lines, "node id", here.nodeId().value());
    here.maxVolumesPerNode()
        .ifPresent(most -> row(lines, "node limit", most + (most == 1 ? " volume" : " volumes")));
    here.accessibleTopology().map(Topology::toString).ifPresent(at -> row(lines, "topology", at));
  }

  private static void row(List<String> lines, String name, String value) {
    lines.add(String.format("%-12s%s", name, OneLine.of(value)).stripTrailing());
  }

  /** Formats the description as one JSON object on one line. */
  String json() {
    Json services = new Json();
    SERVICES.forEach(service -> services.with(service, offers(service)));
    return new Json()
        .with("name", info.map(PluginInfo::name))
        .with("version", info.map(PluginInfo::vendorVersion))
        .with("manifest", info.map(PluginInfo::manifest))
        .with("endpoint", endpoint)
        .with("listener", peer)
        .with("transport", transport)
        .with("ready", ready())
        .with("capabilities", services)
        .with("node", node.map(PluginPortrait::node))
        .with("failures", failures.isEmpty() ? null : failures)
        .toString();
  }

  private static Json node(NodeInfo here) {
    return new Json()
        .with("id", here.nodeId())
        .with(
            "max_volumes",
            here.maxVolumesPerNode().isPresent() ? here.maxVolumesPerNode().getAsLong() : null)
        .with("topology", here.accessibleTopology().map(Topology::segments));
  }
}
