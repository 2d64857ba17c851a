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
 * The instances of plugins on nodes, with what they said of themselves: those that were reported
 * here, and if none was, those on record.
 */
final class PluginsOnNodes {

  private final NodeBook nodes;
  private final Set<PluginId> nodeOnly;
  private final ConcurrentMap<NodeName, NodeEntry> reported = new ConcurrentHashMap<>();

  /**
   * The nodes in a store.
   *
   * @param nodeOnly the plugins that have no controller. Of any other one the nodes do not say
   *     whether it attaches volumes: a part of a plugin on a node may know nothing of its
   *     controller
   */
  PluginsOnNodes(RecordStore store, Set<PluginId> nodeOnly) {
    nodes = new NodeBook(store);
    this.nodeOnly = Set.copyOf(nodeOnly);
  }

  /** Takes a node as it has reported itself last. */
  void reported(NodeEntry node) {
    reported.put(node.name(), node);
  }

  void forget(NodeName node) {
    reported.remove(node);
  }

  /**
   * Returns the instances of a plugin without a controller that said what they are. Without an
   * answer of the store there are none, and the plugin counts as one that may have a controller.
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
