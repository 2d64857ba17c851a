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
 * The wish of a workload for a claim of a volume. Immutable; compares by value.
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
              + " wants a block device, and gives mount options, which only a filesystem has. Leave"
              + " one of them out.");
    }
    if (parts.usage.workload().equals(Claim.DELETION)) {
      throw new IllegalArgumentException(
          "The claim of "
              + parts.usage
              + " is refused: '"
              + Claim.DELETION
              + "' stands for the deletion of a volume among its claims, and would let it be"
              + " deleted while it is used. Give the workload another name.");
    }
    this.parts = parts.copy();
  }

  /**
   * Begins a request that is mounted as the volume says. Whether the volume is attached for it, its
   * plugin says.
   *
   * @param usage the volume and the workload
   * @param node the machine on which the workload runs
   * @param use how the volume is to be used
   * @param mode what the workload does with it
   */
  public static Builder builder(VolumeUse usage, NodeName node, Claim.Use use, ClaimMode mode) {
    return new Builder(usage, node, use, mode);
  }

  /** Begins with this request. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** How it is to be mounted, as far as this says so; nothing if it says nothing. */
  public Optional<MountOptions> statedOptions() {
    return Optional.of(parts.options).filter(stated -> !stated.equals(MountOptions.none()));
  }

  /** Returns the volume and the workload. */
  public VolumeUse usage() {
    return parts.usage;
  }

  /** Returns the machine on which the workload runs. */
  public NodeName node() {
    return parts.node;
  }

  /** Returns how the volume is to be used. */
  public Claim.Use use() {
    return parts.use;
  }

  /** Returns what the workload does with it. */
  public ClaimMode mode() {
    return parts.mode;
  }

  /** Returns how the plugin of the volume names that machine, where it is known. */
  public Optional<NodeId> nodeId() {
    return Optional.ofNullable(parts.nodeId);
  }

  /**
   * Returns how the workload wants it mounted: each part that is stated replaces that of the
   * volume, for every call that is made for the claim.
   */
  public MountOptions options() {
    return parts.options;
  }

  /** Returns what the plugin is told of the workload, if it is told of it. */
  public Optional<WorkloadFacts> workloadFacts() {
    return Optional.ofNullable(parts.workloadFacts);
  }

  /** Returns the label of SELinux for the files, if the workload needs one. */
  public Optional<SelinuxLabel> selinuxLabel() {
    return Optional.ofNullable(parts.selinuxLabel);
  }

  /** Returns the group for which the plugin mounts the filesystem, if it can. */
  public Optional<String> groupIfOffered() {
    return Optional.ofNullable(parts.groupIfOffered);
  }

  /** Whether the plugin on that node mounts filesystems for a group. */
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

  /** Collects the parts of a {@link ClaimRequest}. */
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
     * Sets how the plugin of the volume names that machine, from its fingerprint there ({@code
     * NodeFacts.nodeId}). A volume that is attached is not claimed without it.
     */
    public Builder nodeId(NodeId value) {
      nodeId = Objects.requireNonNull(value, "nodeId");
      return this;
    }

    /** Says how the workload wants it mounted. As the volume says by default. */
    public Builder options(MountOptions value) {
      options = Objects.requireNonNull(value, "options");
      return this;
    }

    /**
     * Sets what the plugin is told of the workload where the volume is published for it, for a
     * plugin that asks for it. Kept with the claim: the plugin is told the same after a restart. A
     * claim that has no facts gets them when it is acquired again with some; one that has others is
     * refused ({@code CLAIM_OTHER_USE}). The plugin is told nothing by default.
     */
    public Builder workloadFacts(WorkloadFacts value) {
      workloadFacts = Objects.requireNonNull(value, "workloadFacts");
      return this;
    }

    /**
     * Sets the label of SELinux with which the workload may use the files. Where the plugin {@link
     * io.csi4j.volume.model.MountPolicy.Builder#takesSelinuxLabel takes labels}, by its binding in
     * the control plane, and the options give no label, the options of the claim get it. Whether a
     * volume is mounted with a label on a node is decided by its first claim there, and kept until
     * its last. Of no account for a block device.
     */
    public Builder selinuxLabel(SelinuxLabel value) {
      selinuxLabel = Objects.requireNonNull(value, "selinuxLabel");
      return this;
    }

    /**
     * Sets the group that the files are to belong to, as a number. Where the plugin {@linkplain
     * #groupOffered offers} VOLUME_MOUNT_GROUP on that node, and the options name no group, the
     * options of the claim get it; elsewhere the host gives the files to it. Whether a volume is
     * mounted for a group on a node is decided by its first claim there, and kept until its last.
     * Of no account for a block device.
     */
    public Builder groupIfOffered(String group) {
      groupIfOffered =
          MountOptions.none().withVolumeMountGroup(group).volumeMountGroup().orElse(null);
      return this;
    }

    /**
     * Sets whether the plugin of the volume offers VOLUME_MOUNT_GROUP on that machine, by its
     * fingerprint there ({@code NodeFacts.capabilities}). It does not by default.
     */
    public Builder groupOffered(boolean value) {
      groupOffered = value;
      return this;
    }

    /**
     * Returns the request.
     *
     * @throws IllegalArgumentException for a block device with mount options, and for a workload of
     *     the name {@link Claim#DELETION}
     */
    public ClaimRequest build() {
      return new ClaimRequest(this);
    }
  }
}
