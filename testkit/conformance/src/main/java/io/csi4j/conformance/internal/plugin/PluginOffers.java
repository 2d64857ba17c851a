package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerServiceCapability;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.PluginCapability.Service;
import io.csi4j.client.model.StatusCode;
import java.util.HashSet;
import java.util.Set;

/**
 * The services and capabilities of a plugin.
 *
 * @param types all capabilities that the plugin serves on the sockets of the run, and its modes of
 *     volume expansion
 * @param unserved services that the plugin declares but does not serve on these sockets
 * @param node whether the plugin serves a node service
 * @param info the plugin's answer to NodeGetInfo; empty if the plugin need not serve it
 */
record PluginOffers(
    Set<Enum<?>> types, Set<Enum<?>> unserved, boolean node, NodeGetInfoResponse info) {

  boolean has(Enum<?> type) {
    return types.contains(type);
  }

  static PluginOffers of(Trial t) {
    Set<Enum<?>> types = new HashSet<>();
    Set<Enum<?>> unserved = new HashSet<>();
    t.ok(GetPluginCapabilitiesRequest.getDefaultInstance(), GetPluginCapabilitiesResponse.class)
        .getCapabilitiesList()
        .forEach(
            each -> {
              if (each.hasService()) {
                types.add(each.getService().getType());
              } else if (each.hasVolumeExpansion()) {
                types.add(each.getVolumeExpansion().getType());
              }
            });
    Message controller = ControllerGetCapabilitiesRequest.getDefaultInstance();
    if (isServed(t, Service.Type.CONTROLLER_SERVICE, controller, types, unserved)) {
      t.ok(controller, ControllerGetCapabilitiesResponse.class)
          .getCapabilitiesList()
          .forEach(each -> types.add(each.getRpc().getType()));
    }
    Message group = GroupControllerGetCapabilitiesRequest.getDefaultInstance();
    if (isServed(t, Service.Type.GROUP_CONTROLLER_SERVICE, group, types, unserved)) {
      t.ok(group, GroupControllerGetCapabilitiesResponse.class)
          .getCapabilitiesList()
          .forEach(each -> types.add(each.getRpc().getType()));
    }
    // Every call of the snapshot metadata service does work, so no call can test whether the
    // service is served. It is assumed to be served on the same socket as the controller.
    if (unserved.contains(Service.Type.CONTROLLER_SERVICE)
        && types.remove(Service.Type.SNAPSHOT_METADATA_SERVICE)) {
      unserved.add(Service.Type.SNAPSHOT_METADATA_SERVICE);
    }
    Reply reply = t.call(NodeGetCapabilitiesRequest.getDefaultInstance());
    if (reply.code() == StatusCode.UNIMPLEMENTED) {
      return new PluginOffers(types, unserved, false, NodeGetInfoResponse.getDefaultInstance());
    }
    t.succeeded(reply, NodeGetCapabilitiesResponse.class)
        .getCapabilitiesList()
        .forEach(each -> types.add(each.getRpc().getType()));
    return new PluginOffers(types, unserved, true, info(t, types));
  }

  /**
   * Returns the node's answer to NodeGetInfo. Only a plugin that attaches volumes must implement
   * this call.
   */
  private static NodeGetInfoResponse info(Trial t, Set<Enum<?>> types) {
    Reply reply = t.call(NodeGetInfoRequest.getDefaultInstance());
    return reply.code() == StatusCode.UNIMPLEMENTED
            && !types.contains(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME)
        ? NodeGetInfoResponse.getDefaultInstance()
        : t.succeeded(reply, NodeGetInfoResponse.class);
  }

  /**
   * Returns whether the plugin serves a declared service on the sockets of the run. A plugin
   * declares the same services on all its sockets, even on sockets that do not serve them.
   */
  private static boolean isServed(
      Trial t, Service.Type service, Message first, Set<Enum<?>> types, Set<Enum<?>> unserved) {
    if (types.contains(service) && t.call(first).code() == StatusCode.UNIMPLEMENTED) {
      types.remove(service);
      unserved.add(service);
    }
    return types.contains(service);
  }
}
