package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.proto.ControllerServiceCapability;
import io.csi4j.client.internal.proto.GroupControllerServiceCapability;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;

/** The needs of cases. */
final class Needs {

  static final Need CONTROLLER = service(PluginCapability.Service.Type.CONTROLLER_SERVICE);
  static final Need GROUP_CONTROLLER =
      service(PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE);
  static final Need METADATA = service(PluginCapability.Service.Type.SNAPSHOT_METADATA_SERVICE);
  static final Need TOPOLOGY =
      service(PluginCapability.Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS);

  static final Need CREATE = controller(ControllerServiceCapability.RPC.Type.CREATE_DELETE_VOLUME);
  static final Need ATTACH =
      controller(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME);
  static final Need ATTACH_READONLY =
      controller(ControllerServiceCapability.RPC.Type.PUBLISH_READONLY);
  static final Need LIST = controller(ControllerServiceCapability.RPC.Type.LIST_VOLUMES);
  static final Need LIST_NODES =
      controller(ControllerServiceCapability.RPC.Type.LIST_VOLUMES_PUBLISHED_NODES);
  static final Need CAPACITY = controller(ControllerServiceCapability.RPC.Type.GET_CAPACITY);
  static final Need SNAPSHOTS =
      controller(ControllerServiceCapability.RPC.Type.CREATE_DELETE_SNAPSHOT);
  static final Need LIST_SNAPSHOTS =
      controller(ControllerServiceCapability.RPC.Type.LIST_SNAPSHOTS);
  static final Need GET_SNAPSHOT = controller(ControllerServiceCapability.RPC.Type.GET_SNAPSHOT);
  static final Need CLONE = controller(ControllerServiceCapability.RPC.Type.CLONE_VOLUME);
  static final Need EXPAND = controller(ControllerServiceCapability.RPC.Type.EXPAND_VOLUME);
  static final Need GET = controller(ControllerServiceCapability.RPC.Type.GET_VOLUME);
  static final Need MODIFY = controller(ControllerServiceCapability.RPC.Type.MODIFY_VOLUME);
  static final Need CONDITION = controller(ControllerServiceCapability.RPC.Type.VOLUME_CONDITION);

  static final Need STAGING = node(NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME);
  static final Need STATS = node(NodeServiceCapability.RPC.Type.GET_VOLUME_STATS);
  static final Need NODE_EXPAND = node(NodeServiceCapability.RPC.Type.EXPAND_VOLUME);
  static final Need MULTI_WRITER = node(NodeServiceCapability.RPC.Type.SINGLE_NODE_MULTI_WRITER);

  static final Need GROUPS =
      new Need(
          "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT (group controller)",
          "the plugin does not offer CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT",
          t ->
              t.offers()
                  .has(
                      GroupControllerServiceCapability.RPC
                          .Type
                          .CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT));

  /** A volume to use on the node. */
  static final Need VOLUME =
      new Need(
          "a volume: CREATE_DELETE_VOLUME, or an existing one in the description",
          "the plugin cannot create volumes, and its description names none that exists",
          t -> CREATE.met(t) || t.plugin().existingVolume().isPresent());

  static final Need MUTABLE =
      new Need(
          "mutable parameters in the description",
          "the plugin's description has no mutable parameters",
          t -> !t.plugin().mutableParameters().isEmpty());

  static final Need FILESYSTEM =
      new Need(
          "volumes used as filesystems",
          "the plugin's description has no capability of access type mount",
          t -> has(t, AccessTypeCase.MOUNT));

  static final Need BLOCK =
      new Need(
          "volumes used as block devices",
          "the plugin's description has no capability of access type block",
          t -> has(t, AccessTypeCase.BLOCK));

  static final Need SEPARATE_SOCKETS =
      new Need(
          "a node socket apart from that of the controller",
          "the plugin serves everything on one socket",
          t -> !t.plugin().node().equals(t.plugin().controller()));

  static final Need ONE_WRITER =
      new Need(
          "a usual capability that allows one publication on a node",
          "the first capability of the plugin's description allows several publications",
          t ->
              switch (LawfulRequests.capability(t).getAccessMode().getMode()) {
                case SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER -> true;
                default -> false;
              });

  static final Need PLACE =
      new Need(
          "a node that says where it is",
          "the node has no accessible_topology",
          t -> t.offers().info().getAccessibleTopology().getSegmentsCount() > 0);

  static final Need FEW_ATTACHMENTS =
      new Need(
          "a node that takes from 1 to 16 volumes",
          "the node does not say that it takes from 1 to 16 volumes",
          t -> {
            long most = t.offers().info().getMaxVolumesPerNode();
            return most > 0 && most <= 16;
          });

  static final Need OFFLINE_EXPANSION_ONLY =
      new Need(
          "expansion of volumes that are not in use, only",
          "the plugin does not declare OFFLINE expansion alone",
          t ->
              t.offers().expansion().contains(PluginCapability.VolumeExpansion.Type.OFFLINE)
                  && !t.offers()
                      .expansion()
                      .contains(PluginCapability.VolumeExpansion.Type.ONLINE));

  static final Need ONLINE_EXPANSION =
      new Need(
          "expansion of volumes in use",
          "the plugin does not declare ONLINE expansion",
          t -> t.offers().expansion().contains(PluginCapability.VolumeExpansion.Type.ONLINE));

  private Needs() {}

  /** The opposite. */
  static Need not(Need need) {
    return new Need(
        "a plugin without " + need.words(), "the plugin offers " + need.words(), t -> !need.met(t));
  }

  private static boolean has(Trial t, AccessTypeCase type) {
    return LawfulRequests.capabilities(t).stream()
        .anyMatch(each -> each.getAccessTypeCase() == type);
  }

  private static Need service(PluginCapability.Service.Type type) {
    return new Need(
        type.name(), "the plugin does not offer " + type.name(), t -> t.offers().has(type));
  }

  private static Need controller(ControllerServiceCapability.RPC.Type type) {
    return new Need(
        type.name() + " (controller)",
        "the controller does not offer " + type.name(),
        t -> t.offers().has(type));
  }

  private static Need node(NodeServiceCapability.RPC.Type type) {
    return new Need(
        type.name() + " (node)",
        "the node does not offer " + type.name(),
        t -> t.offers().has(type));
  }
}
