package io.csi4j.volume.claim;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A workload's request for a claim of a volume. Immutable, with value equality.
 *
 * @since 1.0
 */
public final class ClaimRequest {

  private final Builder parts;

  private ClaimRequest(Builder parts) {
    if (parts.use.attachment() == AttachmentMode.BLOCK
        && !parts.options.equals(MountOptions.none())) {
      throw new IllegalArgumentException(
          "The claim of "
              + parts.usage
              + " requests a block device with mount options, which only a filesystem can have."
              + " Remove one of the two.");
    }
    if (parts.usage.workload().equals(Claim.DELETION)) {
      throw new IllegalArgumentException(
          "The claim of "
              + parts.usage
              + " is refused: '"
              + Claim.DELETION
              + "' is reserved for the deletion of a volume, and a claim with this name would allow"
              + " deleting the volume while it is used. Give the workload another name.");
    }
    this.parts = parts.copy();
  }

  /**
   * Returns a builder for a request without mount options, which mounts the volume with the
   * volume's own options. The plugin determines whether the volume must be attached.
   *
   * @param usage the volume and the workload
   * @param node the node on which the workload runs
   * @param use how the volume is used, which must be the same for all its holders
   * @param mode whether the workload reads or writes
   */
  public static Builder builder(VolumeUse usage, NodeName node, Claim.Use use, ClaimMode mode) {
    return new Builder(usage, node, use, mode);
  }

  /** Returns a builder with the values of this request. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the mount options that this request sets; empty if it sets no options. */
  public Optional<MountOptions> statedOptions() {
    return Optional.of(parts.options).filter(stated -> !stated.equals(MountOptions.none()));
  }

  /** Returns the volume and the workload. */
  public VolumeUse usage() {
    return parts.usage;
  }

  /** Returns the node on which the workload runs. */
  public NodeName node() {
    return parts.node;
  }

  /** Returns how the volume is used. */
  public Claim.Use use() {
    return parts.use;
  }

  /** Returns whether the workload only reads, or also writes. */
  public ClaimMode mode() {
    return parts.mode;
  }

  /** Returns the plugin's id of the node, if it is known. */
  public Optional<NodeId> nodeId() {
    return Optional.ofNullable(parts.nodeId);
  }

  /**
   * Returns the mount options of the workload. Each option that is set replaces the corresponding
   * option of the volume in every call for the claim.
   */
  public MountOptions options() {
    return parts.options;
  }

  /** Returns the facts about the workload that are passed to the plugin, if any. */
  public Optional<WorkloadFacts> workloadFacts() {
    return Optional.ofNullable(parts.workloadFacts);
  }

  /** Returns the SELinux label for the files, if the workload needs one. */
  public Optional<SelinuxLabel> selinuxLabel() {
    return Optional.ofNullable(parts.selinuxLabel);
  }

  /**
   * Returns the group for which the filesystem is mounted if the plugin supports
   * VOLUME_MOUNT_GROUP; empty if no group was set.
   */
  public Optional<String> groupIfOffered() {
    return Optional.ofNullable(parts.groupIfOffered);
  }

  /**
   * Whether the plugin on the node supports mounting a filesystem for a group (VOLUME_MOUNT_GROUP).
   */
  public boolean groupOffered() {
    return parts.groupOffered;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClaimRequest that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "ClaimRequest" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("usage", parts.usage);
    all.put("node", parts.node);
    all.put("use", parts.use);
    all.put("mode", parts.mode);
    all.put("nodeId", nodeId());
    all.put("options", parts.options);
    all.put("workloadFacts", workloadFacts());
    all.put("selinuxLabel", selinuxLabel());
    all.put("groupIfOffered", groupIfOffered());
    all.put("groupOffered", parts.groupOffered);
    return all;
  }

  /** Builder of a {@link ClaimRequest}. */
  public static final class Builder {
    private final VolumeUse usage;
    private final NodeName node;
    private final Claim.Use use;
    private final ClaimMode mode;
    private @Nullable NodeId nodeId;
    private MountOptions options = MountOptions.none();
    private @Nullable WorkloadFacts workloadFacts;
    private @Nullable SelinuxLabel selinuxLabel;
    private @Nullable String groupIfOffered;
    private boolean groupOffered;

    private Builder(VolumeUse usage, NodeName node, Claim.Use use, ClaimMode mode) {
      this.usage = Objects.requireNonNull(usage, "usage");
      this.node = Objects.requireNonNull(node, "node");
      this.use = Objects.requireNonNull(use, "use");
      this.mode = Objects.requireNonNull(mode, "mode");
    }

    private Builder copy() {
      Builder copy = new Builder(usage, node, use, mode);
      copy.nodeId = nodeId;
      copy.options = options;
      copy.workloadFacts = workloadFacts;
      copy.selinuxLabel = selinuxLabel;
      copy.groupIfOffered = groupIfOffered;
      copy.groupOffered = groupOffered;
      return copy;
    }

    /**
     * Sets the plugin's id of the node, which the plugin reports on that node ({@code
     * NodeFacts.nodeId}). A volume that must be attached cannot be claimed without this id.
     */
    public Builder nodeId(NodeId value) {
      nodeId = Objects.requireNonNull(value, "nodeId");
      return this;
    }

    /** Sets the mount options of the workload. By default, the volume's own options apply. */
    public Builder options(MountOptions value) {
      options = Objects.requireNonNull(value, "options");
      return this;
    }

    /**
     * Sets the facts about the workload that are passed to the plugin when the volume is published,
     * for a plugin that needs them. The facts are stored with the claim, so the plugin receives the
     * same facts after a restart. If a claim without facts is acquired again with facts, the facts
     * are added to the claim. If a claim is acquired again with other facts, the request is refused
     * ({@code CLAIM_OTHER_USE}). By default, no facts are passed.
     */
    public Builder workloadFacts(WorkloadFacts value) {
      workloadFacts = Objects.requireNonNull(value, "workloadFacts");
      return this;
    }

    /**
     * Sets the SELinux label that the files must have for the workload. The label is added to the
     * mount options of the claim if the plugin's binding in the control plane {@link
     * io.csi4j.volume.model.MountPolicy.Builder#takesSelinuxLabel supports labels} and the options
     * do not set a label already. The first claim on a node decides whether the volume is mounted
     * with a label on that node. This does not change until the last claim on the node ends. The
     * label has no effect for a block device.
     */
    public Builder selinuxLabel(SelinuxLabel value) {
      selinuxLabel = Objects.requireNonNull(value, "selinuxLabel");
      return this;
    }

    /**
     * Sets the numeric id of the group that will own the files. The group is added to the mount
     * options of the claim if the plugin {@linkplain #groupOffered offers} VOLUME_MOUNT_GROUP on
     * the node and the options do not set a group already. Otherwise, the host must change the
     * owner of the files. The first claim on a node decides whether the volume is mounted for a
     * group on that node. This does not change until the last claim on the node ends. The group has
     * no effect for a block device.
     */
    public Builder groupIfOffered(String group) {
      groupIfOffered =
          MountOptions.none().withVolumeMountGroup(group).volumeMountGroup().orElse(null);
      return this;
    }

    /**
     * Sets whether the plugin of the volume offers VOLUME_MOUNT_GROUP on the node, as the plugin
     * reports on that node ({@code NodeFacts.capabilities}). The default is false.
     */
    public Builder groupOffered(boolean value) {
      groupOffered = value;
      return this;
    }

    /**
     * Returns the request.
     *
     * @throws IllegalArgumentException for a block device with mount options, and for a workload
     *     with the name {@link Claim#DELETION}
     */
    public ClaimRequest build() {
      return new ClaimRequest(this);
    }
  }
}
