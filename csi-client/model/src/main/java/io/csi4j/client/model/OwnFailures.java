package io.csi4j.client.model;

import static io.csi4j.client.model.CsiOperation.*;
import static io.csi4j.client.model.Retry.*;
import static io.csi4j.client.model.StatusCode.*;

import io.csi4j.client.model.FailureTable.Row;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The rows in which an operation departs from the general meaning of a code. Where a status stands
 * for several conditions, its row names them all, for nothing but the plugin's text tells them
 * apart, and no decision is made by text.
 */
final class OwnFailures {

  private static final String CHECK_VOLUME =
      "Check that the volume id is right and that the volume was not deleted and can be reached,"
          + " then call again.";

  private final Map<CsiOperation, Map<StatusCode, Row>> rows = new EnumMap<>(CsiOperation.class);

  private OwnFailures() {}

  public static Map<CsiOperation, Map<StatusCode, Row>> rows() {
    OwnFailures table = new OwnFailures();
    table.identity();
    table.volumes();
    table.attachments();
    table.volumeReads();
    table.volumeChanges();
    table.snapshots();
    table.groupSnapshots();
    table.metadata();
    table.nodeMounts();
    table.nodeReads();
    table.rows.replaceAll((operation, section) -> Collections.unmodifiableMap(section));
    return Collections.unmodifiableMap(table.rows);
  }

  private void identity() {
    String everyPluginServesIt = "Check that what listens on this socket is a plugin for CSI 1.x.";
    on(GET_PLUGIN_INFO)
        .when(
            UNIMPLEMENTED,
            NEVER,
            "the plugin lacks a call that every CSI plugin serves",
            everyPluginServesIt)
        .when(
            UNAVAILABLE,
            BACKOFF,
            "the plugin cannot be reached, or does not know its own name and version",
            "If probing it succeeds, the plugin runs and was started without its name or version:"
                + " correct how it is started.");

    on(GET_PLUGIN_CAPABILITIES)
        .when(
            UNIMPLEMENTED,
            NEVER,
            "the plugin lacks a call that every CSI plugin serves",
            everyPluginServesIt);

    on(PROBE)
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the plugin is not healthy, or lacks something that it depends on",
            "Expect its other calls to fail. Look in its log for what it lacks, and have it"
                + " restarted if it does not recover.")
        .when(
            UNIMPLEMENTED,
            NEVER,
            "the plugin lacks a call that every CSI plugin serves",
            everyPluginServesIt);

    on(CONTROLLER_GET_CAPABILITIES)
        .when(
            UNIMPLEMENTED,
            NEVER,
            "no controller service is served on this socket",
            "Use the socket of the plugin's controller instance; if it has none, its volumes need"
                + " no controller calls.");

    on(GROUP_CONTROLLER_GET_CAPABILITIES)
        .when(
            UNIMPLEMENTED,
            NEVER,
            "no group controller service is served on this socket",
            "Use the socket of the plugin's controller instance, or cut snapshots of single"
                + " volumes.");

    on(NODE_GET_CAPABILITIES)
        .when(
            UNIMPLEMENTED,
            NEVER,
            "no node service is served on this socket",
            "Use the socket of the plugin instance that runs on the node.");
  }

  private void volumes() {
    on(CREATE_VOLUME)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a field is missing or not accepted, or no volume can be made from this source with"
                + " these parameters",
            "Correct the request: other parameters, another content source or none.")
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the content source does not exist",
            "Check that the id of the source snapshot or volume is right and that it was not"
                + " deleted and can be reached, then call again.")
        .when(
            ALREADY_EXISTS,
            AFTER_REQUEST_CHANGE,
            "a volume of this name exists with other properties",
            "Choose another name, or send the size, capabilities, parameters, topology and content"
                + " source that it was created with.")
        .when(
            RESOURCE_EXHAUSTED,
            AFTER_FIX,
            "nothing can be provisioned in the requested topology, for want of quota or space",
            "Free space there, have the quota raised, or ask for another topology; then call"
                + " again. Volumes from earlier attempts under this name may exist.")
        .when(
            OUT_OF_RANGE,
            AFTER_REQUEST_CHANGE,
            "the size asked for is not possible, or differs from that of the content source in a"
                + " way that the plugin does not support",
            "Change the capacity range. From a content source, ask for just its size and expand"
                + " the volume afterwards.");

    on(DELETE_VOLUME)
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the volume is in use, or has snapshots that depend on it",
            "Detach it from every node and delete the snapshots if they are not wanted, then call"
                + " again; until then the volume stays as it is.");
  }

  private void attachments() {
    on(CONTROLLER_PUBLISH_VOLUME)
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the volume or the node is unknown to the plugin",
            "Check that the volume id is right and the volume was not deleted, and that the node id"
                + " is what NodeGetInfo returned on that node and the node still runs; then call"
                + " again.")
        .when(
            ALREADY_EXISTS,
            AFTER_REQUEST_CHANGE,
            "the volume is attached to this node already, with another capability or read-only"
                + " flag",
            "Ask for the capability and read-only flag it is attached with, or detach it first.")
        .when(
            RESOURCE_EXHAUSTED,
            AFTER_FIX,
            "the node has as many volumes attached as it can take",
            "Detach a volume from the node, or place the workload on another node, then call"
                + " again.")
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the volume is attached to another node and its access mode allows only one",
            "Find the other node, which the plugin's own words may name, and detach the volume"
                + " there with ControllerUnpublishVolume, then call again.");

    on(CONTROLLER_UNPUBLISH_VOLUME)
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the volume or the node is unknown to the plugin, and it does not call the volume"
                + " detached",
            "This is no proof of detachment: keep the attachment on record. Check both ids and"
                + " whether the volume and the node still exist, then call again.");
  }

  private void volumeReads() {
    on(VALIDATE_VOLUME_CAPABILITIES)
        .when(NOT_FOUND, AFTER_FIX, "the plugin does not know the volume", CHECK_VOLUME);

    on(LIST_VOLUMES)
        .when(
            RESOURCE_EXHAUSTED,
            BACKOFF,
            "a limit is reached, or the page is too large for one message",
            "Ask for fewer entries per page, or let the connection take larger messages.")
        .when(
            ABORTED,
            AFTER_REQUEST_CHANGE,
            "the starting token is not valid any more",
            "Begin the listing again with an empty token.");

    on(CONTROLLER_GET_VOLUME)
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the plugin does not know the volume",
            "This is the regular answer for a volume that is gone. If it should be there, check its"
                + " id and whether the plugin can reach it, then call again.");
  }

  private void volumeChanges() {
    on(CONTROLLER_EXPAND_VOLUME)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a field is missing or not accepted, or the volume does not support the capability",
            "Send a capability that the volume supports; ValidateVolumeCapabilities tells which.")
        .when(NOT_FOUND, AFTER_FIX, "the plugin does not know the volume", CHECK_VOLUME)
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the volume is in use on a node and the plugin expands only what is not",
            "Take the volume out of use first, with ControllerUnpublishVolume, or where the plugin"
                + " lacks it NodeUnstageVolume, or where it lacks both NodeUnpublishVolume; then"
                + " call again.")
        .when(
            OUT_OF_RANGE,
            AFTER_REQUEST_CHANGE,
            "the volume cannot have this size",
            "Change the capacity range; volumes never shrink, and the storage system may have an"
                + " upper limit.");

    on(CONTROLLER_MODIFY_VOLUME)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a mutable parameter is not valid or not supported by this volume, and none was"
                + " changed",
            "The old values are in force. Send valid parameters; ValidateVolumeCapabilities can"
                + " check them beforehand.")
        .when(NOT_FOUND, AFTER_FIX, "the plugin does not know the volume", CHECK_VOLUME);
  }

  private void snapshots() {
    on(CREATE_SNAPSHOT)
        .when(
            ALREADY_EXISTS,
            AFTER_REQUEST_CHANGE,
            "a snapshot of this name exists for another volume",
            "Choose another name, or name the volume that the snapshot was cut from.")
        .when(
            RESOURCE_EXHAUSTED,
            AFTER_FIX,
            "there is no space left for the snapshot",
            "Free space in the storage system, by deleting old snapshots for instance, then call"
                + " again; repeating the call before that only adds load.")
        .when(
            ABORTED,
            AFTER_PENDING,
            "another call for the same snapshot is still pending",
            "Make sure that no other call for this snapshot name is open, then repeat this one; a"
                + " cut may take a while.")
        .when(
            INTERNAL,
            BACKOFF,
            "the plugin failed internally, or has no space left for the snapshot",
            "Look in the plugin's log. Some plugins report a lack of space this way: then free some"
                + " first.");

    on(DELETE_SNAPSHOT)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a field is missing or not accepted, or the snapshot belongs to a group and cannot be"
                + " deleted alone",
            "For a member of a group, stop calling DeleteSnapshot and delete the whole group with"
                + " DeleteVolumeGroupSnapshot.")
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the snapshot is in use",
            "Wait for, or delete, the volumes that are being made from it or depend on it, then"
                + " call again.")
        .when(
            ABORTED,
            AFTER_PENDING,
            "another call for the same snapshot is still pending",
            "Make sure that no other call for this snapshot is open, its creation included, then"
                + " repeat this one.");

    on(LIST_SNAPSHOTS)
        .when(
            RESOURCE_EXHAUSTED,
            BACKOFF,
            "a limit is reached, or the page is too large for one message",
            "Ask for fewer entries per page, or let the connection take larger messages.")
        .when(
            ABORTED,
            AFTER_REQUEST_CHANGE,
            "the starting token is not valid any more",
            "Begin the listing again with an empty token and the same filters.");

    on(GET_SNAPSHOT)
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the plugin does not know the snapshot",
            "Check that the snapshot id is right and that the snapshot was not deleted and can be"
                + " reached, then call again.");
  }

  private void groupSnapshots() {
    on(CREATE_VOLUME_GROUP_SNAPSHOT)
        .when(
            ALREADY_EXISTS,
            AFTER_REQUEST_CHANGE,
            "a group snapshot of this name exists for other volumes or parameters",
            "Choose another name, or send the volumes and parameters that it was cut with.")
        .when(
            RESOURCE_EXHAUSTED,
            AFTER_FIX,
            "there is no space left for the group snapshot",
            "Free space in the storage system, by deleting old snapshots for instance, then call"
                + " again.")
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the volumes are not set up to be cut at one moment",
            "Have them configured as one group in the storage system, as the plugin's manual says,"
                + " then call again; or cut a snapshot of each by itself.")
        .when(
            INTERNAL,
            BACKOFF,
            "the plugin failed internally, or has no space left for the group snapshot",
            "Look in the plugin's log. Some plugins report a lack of space this way: then free some"
                + " first.");

    on(DELETE_VOLUME_GROUP_SNAPSHOT)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a field is missing or not accepted, or the snapshot ids are not those of the group",
            "Send the ids of all snapshots that were cut with the group, and no others.")
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the group snapshot is in use",
            "Wait for, or delete, the volumes that are being made from its snapshots or depend on"
                + " them, then call again.");

    on(GET_VOLUME_GROUP_SNAPSHOT)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a field is missing or not accepted, or the snapshot ids are not those of the group",
            "Send the ids of all snapshots that were cut with the group, and no others.")
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the plugin does not know the group snapshot",
            "This is the regular answer for a group that is gone. If it should be there, check its"
                + " id and whether the plugin can reach it, then call again.");
  }

  private void metadata() {
    String offset = "Begin at an offset of zero or more, below the size of the volume.";
    on(GET_METADATA_ALLOCATED)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "the snapshot id, the offset or the number of results is missing or not accepted",
            "Correct the request; the plugin's own words may name the argument.")
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the plugin does not know the snapshot",
            "Check that the snapshot id is right and that the snapshot was not deleted.")
        .when(
            OUT_OF_RANGE,
            AFTER_REQUEST_CHANGE,
            "the starting offset is negative or beyond the end of the volume",
            offset);

    on(GET_METADATA_DELTA)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a snapshot id, the offset or the number of results is missing or not accepted",
            "Correct the request, and check that both snapshots are of one volume.")
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the plugin does not know the base or the target snapshot",
            "Check both snapshot ids and that neither snapshot was deleted; without the base, back"
                + " up the whole target.")
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "changed block tracking is off in the storage system",
            "Do a full backup of the target snapshot instead. Differences can be read only after"
                + " tracking was turned on, most likely from the next snapshots on.")
        .when(
            OUT_OF_RANGE,
            AFTER_REQUEST_CHANGE,
            "the starting offset is negative or beyond the end of the volume",
            offset);
  }

  private void nodeMounts() {
    on(NODE_STAGE_VOLUME)
        .when(NOT_FOUND, AFTER_FIX, "the plugin does not know the volume", CHECK_VOLUME)
        .when(
            ALREADY_EXISTS,
            AFTER_REQUEST_CHANGE,
            "the volume is staged at this path already, with another capability",
            "Ask for the capability it is staged with, or unstage it first.")
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the volume does not support the capability, or not while it is in use on the node",
            "Check the capability with ValidateVolumeCapabilities, or wait until the volume is"
                + " unpublished on this node; then call again.");

    on(NODE_UNSTAGE_VOLUME)
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the plugin does not know the volume",
            "Check the volume id, then look in the node's mount table: while the staging path is a"
                + " mount, the volume is still staged. Call again once the plugin can reach it.");

    on(NODE_PUBLISH_VOLUME)
        .when(NOT_FOUND, AFTER_FIX, "the plugin does not know the volume", CHECK_VOLUME)
        .when(
            ALREADY_EXISTS,
            AFTER_REQUEST_CHANGE,
            "the volume is published at this path already, with another capability or read-only"
                + " flag",
            "Ask for the capability and read-only flag it is published with, or unpublish it"
                + " first.")
        .when(
            FAILED_PRECONDITION,
            AFTER_FIX,
            "the volume is not staged, or is published on this node with another capability or at"
                + " another path than its access mode allows, or does not support the capability",
            "Make NodeStageVolume succeed and send its staging path. If the volume is published"
                + " elsewhere on the node, use the same capability or unpublish it there first."
                + " Else check the capability with ValidateVolumeCapabilities.");

    on(NODE_UNPUBLISH_VOLUME)
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "the plugin does not know the volume",
            "Check the volume id, then look in the node's mount table: while the target path is a"
                + " mount, the volume is still published. Call again once the plugin can reach"
                + " it.");

    on(NODE_EXPAND_VOLUME)
        .when(
            INVALID_ARGUMENT,
            AFTER_REQUEST_CHANGE,
            "a field is missing or not accepted, or the volume does not support the capability",
            "Send a capability that the volume supports; ValidateVolumeCapabilities tells which.")
        .when(NOT_FOUND, AFTER_FIX, "the plugin does not know the volume", CHECK_VOLUME)
        .when(
            FAILED_PRECONDITION,
            NEVER,
            "this filesystem cannot grow while the volume is in use on the node",
            "Do not repeat it. The filesystem keeps its size; have it grown by hand while nothing"
                + " uses the volume, or move the data to a larger one.")
        .when(
            OUT_OF_RANGE,
            AFTER_REQUEST_CHANGE,
            "the filesystem cannot have this size",
            "Change the capacity range: it has to lie within what ControllerExpandVolume has"
                + " granted.");
  }

  private void nodeReads() {
    on(NODE_GET_VOLUME_STATS)
        .when(
            NOT_FOUND,
            AFTER_FIX,
            "there is no such volume at the path",
            "Check the volume id, that the path is one where the volume is staged or published now,"
                + " and that the volume was not deleted; then call again.");

    on(NODE_GET_INFO)
        .when(
            UNIMPLEMENTED,
            NEVER,
            "the plugin does not name its nodes",
            "Do not repeat it. For a plugin that does not attach volumes this is allowed; another"
                + " one is served on the wrong socket, or broken.");
  }

  private Section on(CsiOperation operation) {
    Map<StatusCode, Row> section = new EnumMap<>(StatusCode.class);
    if (rows.put(operation, section) != null) {
      throw new IllegalStateException(operation + " has two sections.");
    }
    return new Section(section);
  }

  private record Section(Map<StatusCode, Row> section) {

    Section when(StatusCode code, Retry retry, String meaning, String advice) {
      if (section.put(code, new Row(retry, meaning, advice)) != null) {
        throw new IllegalStateException(code + " has two rows.");
      }
      return this;
    }
  }
}
