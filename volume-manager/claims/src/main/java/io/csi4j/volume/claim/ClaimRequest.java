package io.csi4j.volume.claim;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;
import java.util.Optional;

/**
 * What a workload wants of a volume.
 *
 * @param usage the volume and the workload
 * @param node the machine on which it runs
 * @param nodeId how the plugin names that machine, where it is known
 * @param use how the volume is to be used
 * @param mode what the workload does with it
 * @param attaches whether the storage system has to attach the volume to the machine first
 * @param options how the workload wants it mounted: each part that is stated replaces that of the
 *     volume, for every call that is made for the claim
 */
public record ClaimRequest(
    VolumeUse usage,
    NodeName node,
    Optional<NodeId> nodeId,
    Claim.Use use,
    ClaimMode mode,
    boolean attaches,
    MountOptions options) {

  /** Checks that all parts are there. */
  public ClaimRequest {
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(options, "options");
    if (use.attachment() == AttachmentMode.BLOCK && !options.equals(MountOptions.none())) {
      throw new IllegalArgumentException(
          "The claim of "
              + usage
              + " wants a block device, and gives mount options, which only a filesystem has. Leave"
              + " one of them out.");
    }
    if (attaches && nodeId.isEmpty()) {
      throw new IllegalArgumentException(
          "A volume is attached to a node by the name that the plugin has for it, and it has none"
              + " for '"
              + node
              + "'.");
    }
  }

  /** One that is mounted as the volume says. */
  public ClaimRequest(
      VolumeUse usage,
      NodeName node,
      Optional<NodeId> nodeId,
      Claim.Use use,
      ClaimMode mode,
      boolean attaches) {
    this(usage, node, nodeId, use, mode, attaches, MountOptions.none());
  }

  /** How it is to be mounted, as far as this says so; nothing if it says nothing. */
  public Optional<MountOptions> statedOptions() {
    return Optional.of(options).filter(stated -> !stated.equals(MountOptions.none()));
  }

  /** Returns the request, mounted like this. */
  public ClaimRequest mounted(MountOptions how) {
    return new ClaimRequest(usage, node, nodeId, use, mode, attaches, how);
  }
}
