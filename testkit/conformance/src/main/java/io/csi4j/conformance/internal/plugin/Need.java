package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.proto.ControllerServiceCapability;
import io.csi4j.client.internal.proto.GroupControllerServiceCapability;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A requirement of a case that the plugin or its description must meet. */
@SuppressWarnings("ImmutableEnumChecker") // The checks are stateless lambdas.
enum Need {
  CONTROLLER(PluginCapability.Service.Type.CONTROLLER_SERVICE),
  NO_CONTROLLER(CONTROLLER),
  GROUP_CONTROLLER(PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE),
  METADATA(PluginCapability.Service.Type.SNAPSHOT_METADATA_SERVICE),
  TOPOLOGY(PluginCapability.Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS),
  SNAPSHOT_PLACES(PluginCapability.Service.Type.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS),
  NO_SNAPSHOT_PLACES(SNAPSHOT_PLACES),

  CREATE(ControllerServiceCapability.RPC.Type.CREATE_DELETE_VOLUME),
  ATTACH(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME),
  ATTACH_READONLY(ControllerServiceCapability.RPC.Type.PUBLISH_READONLY),
  LIST(ControllerServiceCapability.RPC.Type.LIST_VOLUMES),
  LIST_NODES(ControllerServiceCapability.RPC.Type.LIST_VOLUMES_PUBLISHED_NODES),
  CAPACITY(ControllerServiceCapability.RPC.Type.GET_CAPACITY),
  SNAPSHOTS(ControllerServiceCapability.RPC.Type.CREATE_DELETE_SNAPSHOT),
  NO_SNAPSHOTS(SNAPSHOTS),
  LIST_SNAPSHOTS(ControllerServiceCapability.RPC.Type.LIST_SNAPSHOTS),
  GET_SNAPSHOT(ControllerServiceCapability.RPC.Type.GET_SNAPSHOT),
  CLONE(ControllerServiceCapability.RPC.Type.CLONE_VOLUME),
  EXPAND(ControllerServiceCapability.RPC.Type.EXPAND_VOLUME),
  GET(ControllerServiceCapability.RPC.Type.GET_VOLUME),
  MODIFY(ControllerServiceCapability.RPC.Type.MODIFY_VOLUME),
  CONDITION(ControllerServiceCapability.RPC.Type.VOLUME_CONDITION),
  LIST_HEALTH(ControllerServiceCapability.RPC.Type.LIST_VOLUME_HEALTH),

  /** The plugin serves a node service on the node's socket. */
  NODE("a node service", "no node service is served here", t -> t.offers().node()),

  STAGING(NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME),
  STATS(NodeServiceCapability.RPC.Type.GET_VOLUME_STATS),
  NODE_EXPAND(NodeServiceCapability.RPC.Type.EXPAND_VOLUME),
  NODE_HEALTH(NodeServiceCapability.RPC.Type.GET_VOLUME_HEALTH),
  STORAGE_HEALTH(NodeServiceCapability.RPC.Type.GET_STORAGE_HEALTH),

  GET_HEALTH(
      "GET_VOLUME_HEALTH or LIST_VOLUME_HEALTH (controller)",
      "the controller offers neither GET_VOLUME_HEALTH nor LIST_VOLUME_HEALTH",
      t ->
          t.offers().has(ControllerServiceCapability.RPC.Type.GET_VOLUME_HEALTH)
              || LIST_HEALTH.met(t)),

  GROUPS(GroupControllerServiceCapability.RPC.Type.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),

  /** The case can get a volume to use on the node. */
  VOLUME(
      "a volume: CREATE_DELETE_VOLUME, or an existing one in the description",
      "the plugin cannot create volumes, and its description names none that exists",
      t -> CREATE.met(t) || t.plugin().existingVolume().isPresent()),

  /** Controller and node both offer the capability for the newer access modes. */
  NEW_MODES(
      "SINGLE_NODE_MULTI_WRITER (controller and node)",
      "the plugin does not offer SINGLE_NODE_MULTI_WRITER in controller and node",
      t ->
          t.offers().has(ControllerServiceCapability.RPC.Type.SINGLE_NODE_MULTI_WRITER)
              && t.offers().has(NodeServiceCapability.RPC.Type.SINGLE_NODE_MULTI_WRITER)),

  MUTABLE(
      "mutable parameters in the description",
      "the plugin's description has no mutable parameters",
      t -> !t.plugin().mutableParameters().isEmpty()),

  FILESYSTEM(
      "volumes used as filesystems",
      "the plugin's description has no capability of access type mount",
      t -> describes(t, AccessTypeCase.MOUNT)),

  BLOCK(
      "volumes used as block devices",
      "the plugin's description has no capability of access type block",
      t -> describes(t, AccessTypeCase.BLOCK)),

  SEPARATE_SOCKETS(
      "a node socket apart from that of the controller",
      "the plugin serves everything on one socket",
      t -> !t.plugin().node().equals(t.plugin().controller())),

  ONE_WRITER(
      "a first described capability that allows only one publication on a node",
      "the first capability of the plugin's description allows several publications",
      t ->
          switch (LawfulRequests.capability(t).getAccessMode().getMode()) {
            case SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER -> true;
            default -> false;
          }),

  PLACE(
      "a node that reports its topology",
      "the node has no accessible_topology",
      t -> t.offers().info().getAccessibleTopology().getSegmentsCount() > 0),

  FEW_ATTACHMENTS(
      "a node that takes from 1 to 16 volumes",
      "the node does not report that it takes from 1 to 16 volumes",
      t -> {
        long most = t.offers().info().getMaxVolumesPerNode();
        return most > 0 && most <= 16;
      }),

  OFFLINE_EXPANSION_ONLY(
      "expansion only of volumes that are not in use",
      "the plugin does not declare OFFLINE expansion alone",
      t ->
          t.offers().has(PluginCapability.VolumeExpansion.Type.OFFLINE)
              && !t.offers().has(PluginCapability.VolumeExpansion.Type.ONLINE)),

  ONLINE_EXPANSION(
      "expansion of volumes in use",
      "the plugin does not declare ONLINE expansion",
      t -> t.offers().has(PluginCapability.VolumeExpansion.Type.ONLINE));

  private final String words;
  private final String otherwise;
  private final Predicate<Trial> check;
  private final @Nullable Enum<?> service;

  Need(String words, String otherwise, Predicate<Trial> check) {
    this(words, otherwise, check, null);
  }

  Need(String words, String otherwise, Predicate<Trial> check, @Nullable Enum<?> service) {
    this.words = words;
    this.otherwise = otherwise;
    this.check = check;
    this.service = service;
  }

  Need(Need opposite) {
    this(
        "a plugin without " + opposite.words,
        "the plugin offers " + opposite.words,
        t -> !opposite.met(t));
  }

  Need(PluginCapability.Service.Type type) {
    this(type.name(), "the plugin does not offer " + type.name(), t -> t.offers().has(type), type);
  }

  Need(ControllerServiceCapability.RPC.Type type) {
    this(type, "controller", PluginCapability.Service.Type.CONTROLLER_SERVICE);
  }

  Need(GroupControllerServiceCapability.RPC.Type type) {
    this(type, "group controller", PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE);
  }

  Need(NodeServiceCapability.RPC.Type type) {
    this(type, "node", null);
  }

  Need(Enum<?> type, String of, @Nullable Enum<?> service) {
    this(
        type.name() + " (" + of + ")",
        "the " + of + " does not offer " + type.name(),
        t -> t.offers().has(type),
        service);
  }

  private static boolean describes(Trial t, AccessTypeCase type) {
    return LawfulRequests.capabilities(t).stream()
        .anyMatch(each -> each.getAccessTypeCase() == type);
  }

  /** Returns the requirement as text, for a list of cases. */
  String words() {
    return words;
  }

  /** Returns the reason for skipping a case whose requirement is not met. */
  String otherwise(Trial trial) {
    return service != null && trial.offers().unserved().contains(service)
        ? "the plugin declares "
            + service.name()
            + ", but does not serve it here: name the socket of the instance that does"
        : otherwise;
  }

  boolean met(Trial trial) {
    return check.test(trial);
  }
}
