package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of the plugin, and the capabilities that the plugin has reported to its caller.
 * A caller may rely on either, because it cannot notice an upgrade before it reads the capabilities
 * again.
 */
final class KnownOffers {

  enum Part {
    PLUGIN,
    CONTROLLER,
    NODE,
    GROUP
  }

  private final Map<Part, Set<String>> real = new HashMap<>();
  private final Map<String, Set<String>> told = new HashMap<>();

  void shaped(PluginShape shape) {
    real.put(Part.PLUGIN, names(shape.pluginCapabilities()));
    boolean controller = real(Part.PLUGIN, "CONTROLLER_SERVICE");
    boolean group = real(Part.PLUGIN, "GROUP_CONTROLLER_SERVICE");
    real.put(Part.CONTROLLER, controller ? names(shape.controllerCapabilities()) : Set.of());
    real.put(Part.NODE, names(shape.nodeCapabilities()));
    real.put(Part.GROUP, group ? names(shape.groupCapabilities()) : Set.of());
  }

  void answered(RecordedCall call, WireMessage answer) {
    switch (call.operation()) {
      case GET_PLUGIN_CAPABILITIES -> told.put(key(Part.PLUGIN, ""), pluginNames(answer));
      case CONTROLLER_GET_CAPABILITIES -> told.put(key(Part.CONTROLLER, ""), names(answer));
      case GROUP_CONTROLLER_GET_CAPABILITIES -> told.put(key(Part.GROUP, ""), names(answer));
      case NODE_GET_CAPABILITIES -> told.put(key(Part.NODE, WireFields.node(call)), names(answer));
      default -> {}
    }
  }

  /** Returns whether the plugin reported the capabilities of this part to the caller. */
  boolean asked(Part part, String node) {
    return told.containsKey(key(part, node));
  }

  /** Returns whether the plugin reported one of these capabilities to the caller. */
  boolean told(Part part, String node, String... anyOf) {
    Set<String> names = told.get(key(part, node));
    return names != null && contains(names, anyOf);
  }

  /**
   * Returns whether a caller has no reason to assume that the plugin offers one of these
   * capabilities.
   */
  boolean lacks(Part part, String node, String... anyOf) {
    return real.containsKey(part) && !real(part, anyOf) && !told(part, node, anyOf);
  }

  /** Returns whether a caller must assume that the plugin offers one of these capabilities. */
  boolean has(Part part, String node, String... anyOf) {
    if (!real.containsKey(part)) {
      return told(part, node, anyOf);
    }
    return real(part, anyOf) && (told(part, node, anyOf) || !asked(part, node));
  }

  private boolean real(Part part, String... anyOf) {
    return contains(real.getOrDefault(part, Set.of()), anyOf);
  }

  private static boolean contains(Set<String> names, String... anyOf) {
    for (String name : anyOf) {
      if (names.contains(name)) {
        return true;
      }
    }
    return false;
  }

  private static String key(Part part, String node) {
    return part == Part.NODE ? "NODE " + node : part.name();
  }

  private static Set<String> names(Collection<? extends Enum<?>> capabilities) {
    return capabilities.stream().map(Enum::name).collect(Collectors.toSet());
  }

  private static Set<String> names(WireMessage answer) {
    return answer.messages("capabilities").stream()
        .map(one -> one.message("rpc").choice("type"))
        .collect(Collectors.toSet());
  }

  private static Set<String> pluginNames(WireMessage answer) {
    return answer.messages("capabilities").stream()
        .map(KnownOffers::pluginName)
        .collect(Collectors.toSet());
  }

  private static String pluginName(WireMessage one) {
    @Nullable String expansion =
        one.has("volume_expansion") ? one.message("volume_expansion").choice("type") : null;
    return expansion == null
        ? one.message("service").choice("type")
        : "VOLUME_EXPANSION_" + expansion;
  }
}
