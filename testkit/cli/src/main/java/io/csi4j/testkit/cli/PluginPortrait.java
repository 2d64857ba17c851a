package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.identity.PluginInfo;
import io.csi4j.client.identity.Readiness;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What a plugin says of itself. A service without an entry is not served at this endpoint.
 *
 * @param endpoint where it listens
 * @param peer the process behind the socket
 * @param transport how it was reached
 * @param info its name and version
 * @param readiness whether it is ready
 * @param capabilities by service, what it offers
 * @param node how it knows this node
 */
record PluginPortrait(
    String endpoint,
    String peer,
    String transport,
    PluginInfo info,
    Readiness readiness,
    Map<String, Optional<CapabilitySet<?>>> capabilities,
    Optional<NodeInfo> node) {

  /** Asks a plugin. */
  static PluginPortrait of(CsiPlugin plugin) {
    PluginInfo info = plugin.identity().getPluginInfo();
    Readiness readiness = plugin.identity().probe();
    CapabilitySet<PluginCapability> offered = plugin.identity().getPluginCapabilities();
    Map<String, Optional<CapabilitySet<?>>> capabilities = new java.util.LinkedHashMap<>();
    capabilities.put("plugin", Optional.of(offered));
    capabilities.put(
        "controller",
        offered.offers(PluginCapability.CONTROLLER_SERVICE)
            ? served(() -> plugin.controller().getCapabilities())
            : Optional.empty());
    capabilities.put(
        "group",
        offered.offers(PluginCapability.GROUP_CONTROLLER_SERVICE)
            ? served(() -> plugin.groupController().getCapabilities())
            : Optional.empty());
    // No capability tells whether there is a node service at this endpoint; one has to ask.
    capabilities.put("node", served(() -> plugin.node().getCapabilities()));
    return new PluginPortrait(
        plugin.endpoint().toString(),
        plugin.peer().toString(),
        plugin.transport().name().toLowerCase(Locale.ROOT),
        info,
        readiness,
        capabilities,
        served(() -> plugin.node().getInfo()));
  }

  private static <T> Optional<T> served(Supplier<? extends T> question) {
    try {
      return Optional.of(question.get());
    } catch (CsiUnsupportedException absent) {
      return Optional.empty();
    }
  }

  boolean ready() {
    return readiness.isReady();
  }

  /** For a person: a name and a value a line. */
  String table() {
    List<String> lines = new ArrayList<>();
    row(lines, "name", info.name().toString());
    row(lines, "version", info.vendorVersion());
    info.manifest().forEach((key, value) -> row(lines, "manifest", key + "=" + value));
    row(lines, "endpoint", endpoint);
    row(lines, "listener", peer + ", reached by " + transport);
    row(lines, "ready", readyInWords());
    capabilities.forEach((service, offered) -> rows(lines, service, offered));
    node.ifPresent(here -> node(lines, here));
    return String.join(System.lineSeparator(), lines);
  }

  private String readyInWords() {
    return switch (readiness) {
      case READY -> "yes";
      case ASSUMED_READY -> "yes (not said, which means yes)";
      case NOT_READY -> "no, it is still starting";
    };
  }

  private static void rows(
      List<String> lines, String service, Optional<CapabilitySet<?>> capabilities) {
    if (capabilities.isEmpty()) {
      row(lines, service, "not served here");
      return;
    }
    List<String> all = names(capabilities.get()).toList();
    if (all.isEmpty()) {
      row(lines, service, "served, offers nothing beyond the minimum");
    }
    for (int i = 0; i < all.size(); i++) {
      row(lines, i == 0 ? service : "", all.get(i));
    }
  }

  private static Stream<String> names(CapabilitySet<?> capabilities) {
    return Stream.concat(
        capabilities.offered().stream().map(Enum::name),
        capabilities.unrecognized().stream().map(each -> each + " (unknown to CSI 1.12)"));
  }

  private static void node(List<String> lines, NodeInfo here) {
    row(lines, "node id", here.nodeId().value());
    here.maxVolumesPerNode().ifPresent(most -> row(lines, "node takes", most + " volumes"));
    here.accessibleTopology().map(Topology::toString).ifPresent(at -> row(lines, "node is at", at));
  }

  private static void row(List<String> lines, String name, String value) {
    lines.add(String.format("%-12s%s", name, OneLine.of(value)).stripTrailing());
  }

  /** For a program: one object on one line. */
  String json() {
    Json services = new Json();
    capabilities.forEach(
        (service, offered) ->
            offered.ifPresent(
                set ->
                    services.with(
                        service,
                        Stream.concat(
                                set.offered().stream().map(Enum::name), set.unrecognized().stream())
                            .toList())));
    Json json =
        new Json()
            .with("name", info.name())
            .with("version", info.vendorVersion())
            .with("manifest", info.manifest())
            .with("endpoint", endpoint)
            .with("listener", peer)
            .with("transport", transport)
            .with("ready", ready())
            .with("capabilities", services);
    node.ifPresent(here -> json.with("node", node(here)));
    return json.toString();
  }

  private static Json node(NodeInfo here) {
    Json json = new Json().with("id", here.nodeId().value());
    here.maxVolumesPerNode().ifPresent(most -> json.with("max_volumes", most));
    here.accessibleTopology().ifPresent(place -> json.with("topology", place.segments()));
    return json;
  }
}
