package io.csi4j.client.model;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One remote call of CSI 1.13.
 *
 * @since 1.0
 */
public enum CsiOperation {
  /** {@code GetPluginInfo}. */
  GET_PLUGIN_INFO(Service.IDENTITY, "GetPluginInfo", "reading the plugin info"),
  /** {@code GetPluginCapabilities}. */
  GET_PLUGIN_CAPABILITIES(
      Service.IDENTITY, "GetPluginCapabilities", "reading the plugin capabilities"),
  /** {@code Probe}. */
  PROBE(Service.IDENTITY, "Probe", "probing"),
  /** {@code CreateVolume}. */
  CREATE_VOLUME(Service.CONTROLLER, "CreateVolume", "creating volume"),
  /** {@code DeleteVolume}. */
  DELETE_VOLUME(Service.CONTROLLER, "DeleteVolume", "deleting volume"),
  /** {@code ControllerPublishVolume}. */
  CONTROLLER_PUBLISH_VOLUME(Service.CONTROLLER, "ControllerPublishVolume", "attaching volume"),
  /** {@code ControllerUnpublishVolume}. */
  CONTROLLER_UNPUBLISH_VOLUME(Service.CONTROLLER, "ControllerUnpublishVolume", "detaching volume"),
  /** {@code ValidateVolumeCapabilities}. */
  VALIDATE_VOLUME_CAPABILITIES(
      Service.CONTROLLER, "ValidateVolumeCapabilities", "validating the capabilities of volume"),
  /** {@code ListVolumes}. */
  LIST_VOLUMES(Service.CONTROLLER, "ListVolumes", "listing volumes"),
  /** {@code ControllerListVolumeHealth}. */
  @Experimental
  CONTROLLER_LIST_VOLUME_HEALTH(
      Service.CONTROLLER, "ControllerListVolumeHealth", "listing the health of volumes"),
  /** {@code ControllerGetVolumeHealth}. */
  @Experimental
  CONTROLLER_GET_VOLUME_HEALTH(
      Service.CONTROLLER, "ControllerGetVolumeHealth", "reading the health of volume"),
  /** {@code GetCapacity}. */
  GET_CAPACITY(Service.CONTROLLER, "GetCapacity", "reading the capacity"),
  /** {@code ControllerGetCapabilities}. */
  CONTROLLER_GET_CAPABILITIES(
      Service.CONTROLLER, "ControllerGetCapabilities", "reading the controller capabilities"),
  /** {@code CreateSnapshot}. */
  CREATE_SNAPSHOT(Service.CONTROLLER, "CreateSnapshot", "creating snapshot"),
  /** {@code DeleteSnapshot}. */
  DELETE_SNAPSHOT(Service.CONTROLLER, "DeleteSnapshot", "deleting snapshot"),
  /** {@code ListSnapshots}. */
  LIST_SNAPSHOTS(Service.CONTROLLER, "ListSnapshots", "listing snapshots"),
  /** {@code GetSnapshot}. */
  @Experimental
  GET_SNAPSHOT(Service.CONTROLLER, "GetSnapshot", "reading snapshot"),
  /** {@code ControllerExpandVolume}. */
  CONTROLLER_EXPAND_VOLUME(Service.CONTROLLER, "ControllerExpandVolume", "expanding volume"),
  /** {@code ControllerGetVolume}. */
  @Experimental
  CONTROLLER_GET_VOLUME(Service.CONTROLLER, "ControllerGetVolume", "reading volume"),
  /** {@code ControllerModifyVolume}. */
  CONTROLLER_MODIFY_VOLUME(Service.CONTROLLER, "ControllerModifyVolume", "modifying volume"),
  /** {@code GroupControllerGetCapabilities}. */
  GROUP_CONTROLLER_GET_CAPABILITIES(
      Service.GROUP_CONTROLLER,
      "GroupControllerGetCapabilities",
      "reading the group controller capabilities"),
  /** {@code CreateVolumeGroupSnapshot}. */
  CREATE_VOLUME_GROUP_SNAPSHOT(
      Service.GROUP_CONTROLLER, "CreateVolumeGroupSnapshot", "creating group snapshot"),
  /** {@code DeleteVolumeGroupSnapshot}. */
  DELETE_VOLUME_GROUP_SNAPSHOT(
      Service.GROUP_CONTROLLER, "DeleteVolumeGroupSnapshot", "deleting group snapshot"),
  /** {@code GetVolumeGroupSnapshot}. */
  GET_VOLUME_GROUP_SNAPSHOT(
      Service.GROUP_CONTROLLER, "GetVolumeGroupSnapshot", "reading group snapshot"),
  /** {@code GetMetadataAllocated}. */
  @Experimental
  GET_METADATA_ALLOCATED(
      Service.SNAPSHOT_METADATA,
      "GetMetadataAllocated",
      "reading the allocated blocks of snapshot"),
  /** {@code GetMetadataDelta}. */
  @Experimental
  GET_METADATA_DELTA(
      Service.SNAPSHOT_METADATA, "GetMetadataDelta", "reading the changed blocks since snapshot"),
  /** {@code NodeStageVolume}. */
  NODE_STAGE_VOLUME(Service.NODE, "NodeStageVolume", "staging volume"),
  /** {@code NodeUnstageVolume}. */
  NODE_UNSTAGE_VOLUME(Service.NODE, "NodeUnstageVolume", "unstaging volume"),
  /** {@code NodePublishVolume}. */
  NODE_PUBLISH_VOLUME(Service.NODE, "NodePublishVolume", "publishing volume"),
  /** {@code NodeUnpublishVolume}. */
  NODE_UNPUBLISH_VOLUME(Service.NODE, "NodeUnpublishVolume", "unpublishing volume"),
  /** {@code NodeGetVolumeStats}. */
  NODE_GET_VOLUME_STATS(Service.NODE, "NodeGetVolumeStats", "reading the statistics of volume"),
  /** {@code NodeGetVolumeHealth}. */
  @Experimental
  NODE_GET_VOLUME_HEALTH(
      Service.NODE, "NodeGetVolumeHealth", "reading the health on the node of volume"),
  /** {@code NodeGetStorageHealth}. */
  @Experimental
  NODE_GET_STORAGE_HEALTH(
      Service.NODE, "NodeGetStorageHealth", "reading the health of the storage"),
  /** {@code NodeExpandVolume}. */
  NODE_EXPAND_VOLUME(Service.NODE, "NodeExpandVolume", "expanding the filesystem of volume"),
  /** {@code NodeGetCapabilities}. */
  NODE_GET_CAPABILITIES(Service.NODE, "NodeGetCapabilities", "reading the node capabilities"),
  /** {@code NodeGetInfo}. */
  NODE_GET_INFO(Service.NODE, "NodeGetInfo", "reading the node info");

  private static final Map<String, CsiOperation> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(CsiOperation::rpcName, Function.identity()));

  private final Service service;
  private final String rpcName;
  private final String phrase;

  CsiOperation(Service service, String rpcName, String phrase) {
    this.service = service;
    this.rpcName = rpcName;
    this.phrase = phrase;
  }

  /** The service that contains the call. */
  public Service service() {
    return service;
  }

  /** The name in the spec, such as {@code NodeStageVolume}. */
  public String rpcName() {
    return rpcName;
  }

  /** The full name on the wire, such as {@code csi.v1.Node/NodeStageVolume}. */
  public String fullName() {
    return service.fullName() + "/" + rpcName;
  }

  /**
   * Whether the call releases a resource that another call acquired. The client sends such a call
   * even if the plugin no longer offers it.
   */
  public boolean givesBack() {
    return switch (this) {
      case NODE_UNSTAGE_VOLUME,
          NODE_UNPUBLISH_VOLUME,
          CONTROLLER_UNPUBLISH_VOLUME,
          DELETE_VOLUME,
          DELETE_SNAPSHOT,
          DELETE_VOLUME_GROUP_SNAPSHOT ->
          true;
      default -> false;
    };
  }

  /** Returns a phrase that describes the call, such as {@code staging volume}. */
  public String phrase() {
    return phrase;
  }

  /** Returns the operation with this name in the spec. */
  public static Optional<CsiOperation> ofRpcName(String rpcName) {
    return Optional.ofNullable(BY_NAME.get(rpcName));
  }

  /**
   * One of the five services of CSI.
   *
   * @since 1.0
   */
  public enum Service {
    /** The identity of the plugin; served on every endpoint. */
    IDENTITY("csi.v1.Identity"),
    /** Calls that are not bound to a node. */
    CONTROLLER("csi.v1.Controller"),
    /** Snapshots of several volumes taken at one moment. */
    GROUP_CONTROLLER("csi.v1.GroupController"),
    /** The blocks that a snapshot contains. */
    @Experimental
    SNAPSHOT_METADATA("csi.v1.SnapshotMetadata"),
    /** Calls on the node where a volume is used. */
    NODE("csi.v1.Node");

    private final String fullName;

    Service(String fullName) {
      this.fullName = fullName;
    }

    /** The name of the service on the wire. */
    public String fullName() {
      return fullName;
    }
  }
}
