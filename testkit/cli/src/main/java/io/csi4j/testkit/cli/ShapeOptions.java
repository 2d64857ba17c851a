package io.csi4j.testkit.cli;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The changes of a command line to the shape of a plugin, by name. */
final class ShapeOptions {

  private record Removal(String service, String name, UnaryOperator<PluginShape> change) {}

  private ShapeOptions() {}

  /**
   * The shape without a capability: {@code EXPAND_VOLUME} of all services that have it, {@code
   * node:EXPAND_VOLUME} of one.
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
          "There is no capability '"
              + capability
              + "'. Write "
              + OptionText.oneOf(removals().stream().map(Removal::name).distinct())
              + "; with plugin:, controller:, node: or group: before it to mean one service.");
    }
    PluginShape changed = shape;
    for (Removal each : meant) {
      changed = each.change().apply(changed);
    }
    return changed;
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

  /** The constant that a command line names. */
  static <E extends Enum<E>> E chosen(String what, String name, E[] constants) {
    Optional<E> found = OptionText.named(name, constants);
    return found.orElseThrow(
        () ->
            CommandFailure.usage(
                "There is no "
                    + what
                    + " '"
                    + name
                    + "'. Write "
                    + OptionText.oneOf(Arrays.stream(constants).map(OptionText::written))
                    + "."));
  }
}
