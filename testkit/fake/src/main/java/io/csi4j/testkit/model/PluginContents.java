package io.csi4j.testkit.model;

import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import java.util.ArrayList;
import java.util.List;

/**
 * The volumes, snapshots and groups of a test plugin at one moment, as the plugin itself records
 * them.
 *
 * @since 1.0
 */
public record PluginContents(
    List<VolumeId> volumes,
    List<SnapshotId> snapshots,
    List<GroupSnapshotId> groups,
    List<Attached> attached,
    List<Staged> staged,
    List<Published> published) {

  /** Copies the lists. */
  public PluginContents {
    volumes = List.copyOf(volumes);
    snapshots = List.copyOf(snapshots);
    groups = List.copyOf(groups);
    attached = List.copyOf(attached);
    staged = List.copyOf(staged);
    published = List.copyOf(published);
  }

  /** Returns whether the plugin has no volumes, snapshots, groups or uses of volumes. */
  public boolean empty() {
    return idle() && volumes.isEmpty() && snapshots.isEmpty() && groups.isEmpty();
  }

  /** Returns whether no volume is attached, staged or published anywhere. */
  public boolean idle() {
    return attached.isEmpty() && staged.isEmpty() && published.isEmpty();
  }

  /** Returns a line for each publication, staging and attachment, with the call that ends it. */
  public List<String> pending() {
    List<String> lines = new ArrayList<>();
    published.forEach(
        each ->
            lines.add(
                "Volume '%s' is still published on node '%s' at %s: NodeUnpublishVolume is pending."
                    .formatted(each.volume(), each.node(), each.path())));
    staged.forEach(
        each ->
            lines.add(
                "Volume '%s' is still staged on node '%s' at %s: NodeUnstageVolume is pending."
                    .formatted(each.volume(), each.node(), each.path())));
    attached.forEach(
        each ->
            lines.add(
                "Volume '%s' is still attached to node '%s': ControllerUnpublishVolume is pending."
                    .formatted(each.volume(), each.node())));
    return lines;
  }

  /** A volume attached to a node. */
  public record Attached(VolumeId volume, NodeId node) {}

  /** A volume staged on a node. */
  public record Staged(VolumeId volume, NodeId node, PluginPath path) {}

  /** A volume published on a node. */
  public record Published(VolumeId volume, NodeId node, PluginPath path, boolean readonly) {}
}
