package io.csi4j.testkit.cli;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Applies options of the command line, such as names of capabilities, to the shape of a plugin. */
final class ShapeOptions {

  private record Removal(String service, String name, UnaryOperator<PluginShape> change) {}

  private ShapeOptions() {}

  /**
   * Returns the shape without a capability. {@code EXPAND_VOLUME} removes the capability from all
   * services that have it; {@code node:EXPAND_VOLUME} removes it only from the node service.
   */
  static PluginShape without(PluginShape shape, String capability) {
    int colon = capability.indexOf(':');
    String service = colon < 0 ? "" : capability.substring(0, colon).toLowerCase(Locale.ROOT);
    String name = capability.substring(colon + 1).toUpperCase(Locale.ROOT).replace('-', '_');
    List<Removal> meant =
        removals().stream()
            .filter(each -> service.isEmpty() || each.service().equals(service))
            .filter(each -> each.name().equals(name))
            .toList();
    if (meant.isEmpty()) {
      throw CommandFailure.usage(
          ("There is no capability %s. Write %s; the prefix plugin:, controller:, node: or group:"
                  + " selects one service.")
              .formatted(OneLine.quoted(capability), OptionText.oneOf(capabilities())));
    }
    PluginShape changed = shape;
    for (Removal each : meant) {
      changed = each.change().apply(changed);
    }
    return changed;
  }

  /**
   * Returns the shape with a topology for each node. A segment {@code KEY=VALUE} is for all nodes,
   * and {@code NODE:KEY=VALUE} is for one node.
   */
  static PluginShape placed(PluginShape shape, List<NodeId> nodes, List<String> segments) {
    Map<String, Map<String, String>> places = new LinkedHashMap<>();
    nodes.forEach(node -> places.put(node.value(), new LinkedHashMap<>()));
    for (String segment : segments) {
      int equals = segment.indexOf('=');
      if (equals < 0) {
        throw CommandFailure.usage(
            "--topology " + OneLine.quoted(segment) + " has no value. Write [NODE:]KEY=VALUE.");
      }
      int colon = segment.lastIndexOf(':', equals);
      String key = segment.substring(colon + 1, equals);
      String value = segment.substring(equals + 1);
      if (colon < 0) {
        places.values().forEach(place -> place.put(key, value));
        continue;
      }
      Map<String, String> place = places.get(segment.substring(0, colon));
      if (place == null) {
        throw CommandFailure.usage(
            "--topology %s names no node of this plugin. Its nodes are %s."
                .formatted(OneLine.quoted(segment), String.join(", ", places.keySet())));
      }
      place.put(key, value);
    }
    if (places.values().stream().anyMatch(Map::isEmpty)) {
      throw CommandFailure.usage(
          "--topology is given for some nodes only. Write one for each of "
              + String.join(", ", places.keySet())
              + ".");
    }
    try {
      return shape
          .with(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)
          .topologies(places.values().stream().map(Topology::of).toArray(Topology[]::new));
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage("--topology: " + wrong.getMessage());
    }
  }

  /** Returns the names of the capabilities. A name that several services have appears only once. */
  static Stream<String> capabilities() {
    return removals().stream().map(Removal::name).distinct();
  }

  private static List<Removal> removals() {
    List<Removal> all = new ArrayList<>();
    for (PluginCapability each : PluginCapability.values()) {
      all.add(new Removal("plugin", each.name(), shape -> shape.without(each)));
    }
    for (ControllerCapability each : ControllerCapability.values()) {
      all.add(new Removal("controller", each.name(), shape -> shape.without(each)));
    }
    for (NodeCapability each : NodeCapability.values()) {
      all.add(new Removal("node", each.name(), shape -> shape.without(each)));
    }
    for (GroupControllerCapability each : GroupControllerCapability.values()) {
      all.add(new Removal("group", each.name(), shape -> shape.without(each)));
    }
    return all;
  }

  /** Returns the constant whose name the command line contains. */
  static <E extends Enum<E>> E chosen(String what, String name, E[] constants) {
    String wanted = name.toUpperCase(Locale.ROOT).replace('-', '_');
    Optional<E> found =
        Arrays.stream(constants).filter(each -> each.name().equals(wanted)).findFirst();
    return found.orElseThrow(
        () ->
            CommandFailure.usage(
                "There is no %s %s. Write %s."
                    .formatted(
                        what,
                        OneLine.quoted(name),
                        OptionText.oneOf(Arrays.stream(constants).map(OptionText::written)))));
  }
}
