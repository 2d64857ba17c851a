package io.csi4j.volume.workload;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A view of a node that asks no one. */
interface NodeView {

  /** The instance of a plugin that serves volumes there. */
  Optional<RegisteredPlugin> plugin(PluginId id);

  /** The names of the plugins that serve volumes there. */
  SortedSet<PluginId> plugins();

  /** Returns the status of every volume there. */
  List<VolumeStatus> volumes();

  /** Why a mount would be refused by what is mounted there, if it would. */
  Optional<OperatorMessage> refusal(MountRequest request);

  /** This node, as it is at each question. */
  static NodeView of(VolumeManager manager) {
    return new NodeView() {
      @Override
      public Optional<RegisteredPlugin> plugin(PluginId id) {
        return manager.plugins().find(id, PluginRole.NODE);
      }

      @Override
      public SortedSet<PluginId> plugins() {
        return names(manager.plugins().plugins());
      }

      @Override
      public List<VolumeStatus> volumes() {
        return manager.volumes();
      }

      @Override
      public Optional<OperatorMessage> refusal(MountRequest request) {
        return manager.refusal(request);
      }
    };
  }

  /** A node that was described. The first instance of each plugin serves. */
  static NodeView of(Collection<RegisteredPlugin> plugins, Collection<VolumeStatus> volumes) {
    List<RegisteredPlugin> known = List.copyOf(plugins);
    List<VolumeStatus> mounted = List.copyOf(volumes);
    return new NodeView() {
      @Override
      public Optional<RegisteredPlugin> plugin(PluginId id) {
        return known.stream()
            .filter(each -> each.registration().id().equals(id))
            .filter(each -> each.registration().roles().contains(PluginRole.NODE))
            .findFirst();
      }

      @Override
      public SortedSet<PluginId> plugins() {
        return names(known);
      }

      @Override
      public List<VolumeStatus> volumes() {
        return mounted;
      }

      @Override
      public Optional<OperatorMessage> refusal(MountRequest request) {
        return Optional.empty();
      }
    };
  }

  private static SortedSet<PluginId> names(List<RegisteredPlugin> plugins) {
    return plugins.stream()
        .filter(each -> each.registration().roles().contains(PluginRole.NODE))
        .map(each -> each.registration().id())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
