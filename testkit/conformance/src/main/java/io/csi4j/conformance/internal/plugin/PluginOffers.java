package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.proto.ControllerServiceCapability;
import io.csi4j.client.internal.proto.GroupControllerServiceCapability;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.PluginCapability;
import java.util.Set;

/**
 * What a plugin says that it offers.
 *
 * @param services of the plugin as a whole
 * @param expansion how it says volumes grow
 * @param controller of its controller; empty without one
 * @param group of its group controller; empty without one
 * @param node of its node service
 * @param info of its node
 */
record PluginOffers(
    Set<PluginCapability.Service.Type> services,
    Set<PluginCapability.VolumeExpansion.Type> expansion,
    Set<ControllerServiceCapability.RPC.Type> controller,
    Set<GroupControllerServiceCapability.RPC.Type> group,
    Set<NodeServiceCapability.RPC.Type> node,
    NodeGetInfoResponse info) {

  PluginOffers {
    services = Set.copyOf(services);
    expansion = Set.copyOf(expansion);
    controller = Set.copyOf(controller);
    group = Set.copyOf(group);
    node = Set.copyOf(node);
  }

  boolean has(PluginCapability.Service.Type type) {
    return services.contains(type);
  }

  boolean has(ControllerServiceCapability.RPC.Type type) {
    return controller.contains(type);
  }

  boolean has(GroupControllerServiceCapability.RPC.Type type) {
    return group.contains(type);
  }

  boolean has(NodeServiceCapability.RPC.Type type) {
    return node.contains(type);
  }
}
