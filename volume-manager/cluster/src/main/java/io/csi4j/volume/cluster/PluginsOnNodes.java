package io.csi4j.volume.cluster;

import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.controller.NodeBook;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.store.RecordStore;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The instances of plugins on nodes, with their properties. They come from the reports to this
 * control plane, or from the store if there were none.
 */
final class PluginsOnNodes {

  private final NodeBook nodes;
  private final Set<PluginId> nodeOnly;
  private final ConcurrentMap<NodeName, NodeEntry> reported = new ConcurrentHashMap<>();

  /**
   * The nodes in a store.
   *
   * @param nodeOnly the plugins that have no controller. The nodes do not report of any other one
   *     whether it attaches volumes: the node part of a plugin may not know its controller
   */
  PluginsOnNodes(RecordStore store, Set<PluginId> nodeOnly) {
    nodes = new NodeBook(store);
    this.nodeOnly = Set.copyOf(nodeOnly);
  }

  /** Accepts the last report of a node. */
  void reported(NodeEntry node) {
    reported.put(node.name(), node);
  }

  void forget(NodeName node) {
    reported.remove(node);
  }

  /**
   * Returns the instances of a plugin without a controller that reported their properties. If the
   * store does not answer there are none, and the plugin is treated as one that may have a
   * controller.
   */
  List<RegisteredPlugin> of(PluginId plugin) {
    if (!nodeOnly.contains(plugin)) {
      return List.of();
    }
    List<RegisteredPlugin> here = of(plugin, reported.values());
    if (!here.isEmpty()) {
      return here;
    }
    try {
      return of(plugin, nodes.all().nodes());
    } catch (OperatorException unread) {
      return List.of();
    }
  }

  private static List<RegisteredPlugin> of(PluginId plugin, Collection<NodeEntry> nodes) {
    return nodes.stream()
        .flatMap(each -> each.plugins().stream())
        .filter(each -> each.id().equals(plugin) && each.said().isPresent())
        .map(NodeEntry.KnownPlugin::registered)
        .toList();
  }
}
