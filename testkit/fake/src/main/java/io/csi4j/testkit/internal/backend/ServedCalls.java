package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.model.PluginShape;

/** Which calls a plugin serves, by what it offers. */
final class ServedCalls {

  private ServedCalls() {}

  /** Refuses a call that the plugin does not offer, saying which capability it lacks. */
  static void check(CsiOperation operation, Call call) throws Refusal {
    PluginShape shape = call.shape();
    switch (operation.service()) {
      case IDENTITY -> {}
      case CONTROLLER -> {
        need(operation, shape.offers(PluginCapability.CONTROLLER_SERVICE), "CONTROLLER_SERVICE");
        controller(operation, shape);
      }
      case GROUP_CONTROLLER -> {
        need(
            operation,
            shape.offers(PluginCapability.GROUP_CONTROLLER_SERVICE),
            "GROUP_CONTROLLER_SERVICE");
        GroupControllerCapability groups =
            GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT;
        if (operation != CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES) {
          need(operation, shape.offers(groups), groups.name());
        }
      }
      case SNAPSHOT_METADATA ->
          need(
              operation,
              shape.offers(PluginCapability.SNAPSHOT_METADATA_SERVICE),
              "SNAPSHOT_METADATA_SERVICE");
      case NODE -> {
        need(operation, call.node() != null, "the node service, which another socket serves");
        node(operation, shape);
      }
    }
  }

  private static void controller(CsiOperation operation, PluginShape shape) throws Refusal {
    switch (operation) {
      case CREATE_VOLUME, DELETE_VOLUME ->
          need(operation, shape, ControllerCapability.CREATE_DELETE_VOLUME);
      case CONTROLLER_PUBLISH_VOLUME, CONTROLLER_UNPUBLISH_VOLUME ->
          need(operation, shape, ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
      case LIST_VOLUMES -> need(operation, shape, ControllerCapability.LIST_VOLUMES);
      case GET_CAPACITY -> need(operation, shape, ControllerCapability.GET_CAPACITY);
      case CREATE_SNAPSHOT, DELETE_SNAPSHOT ->
          need(operation, shape, ControllerCapability.CREATE_DELETE_SNAPSHOT);
      case LIST_SNAPSHOTS -> need(operation, shape, ControllerCapability.LIST_SNAPSHOTS);
      case GET_SNAPSHOT -> need(operation, shape, ControllerCapability.GET_SNAPSHOT);
      case CONTROLLER_EXPAND_VOLUME -> need(operation, shape, ControllerCapability.EXPAND_VOLUME);
      case CONTROLLER_GET_VOLUME -> need(operation, shape, ControllerCapability.GET_VOLUME);
      case CONTROLLER_MODIFY_VOLUME -> need(operation, shape, ControllerCapability.MODIFY_VOLUME);
      default -> {}
    }
  }

  private static void node(CsiOperation operation, PluginShape shape) throws Refusal {
    switch (operation) {
      case NODE_STAGE_VOLUME, NODE_UNSTAGE_VOLUME ->
          need(
              operation, shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME), "STAGE_UNSTAGE_VOLUME");
      case NODE_GET_VOLUME_STATS ->
          need(
              operation,
              shape.offers(NodeCapability.GET_VOLUME_STATS)
                  || shape.offers(NodeCapability.VOLUME_CONDITION),
              "GET_VOLUME_STATS");
      case NODE_EXPAND_VOLUME ->
          need(operation, shape.offers(NodeCapability.EXPAND_VOLUME), "EXPAND_VOLUME");
      default -> {}
    }
  }

  private static void need(
      CsiOperation operation, PluginShape shape, ControllerCapability capability) throws Refusal {
    need(operation, shape.offers(capability), capability.name());
  }

  private static void need(CsiOperation operation, boolean offered, String what) throws Refusal {
    if (!offered) {
      throw new Refusal(
          StatusCode.UNIMPLEMENTED,
          operation.rpcName()
              + " is not served: this plugin does not offer "
              + what
              + ". Read its capabilities before calling.");
    }
  }
}
