package io.csi4j.volume.node;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.text.InlineName;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A request to mount a volume for a workload. Compares by value, but ignores the provider of
 * secrets and the {@linkplain Builder#groupIfOffered group}.
 *
 * <pre>{@code
 * MountRequest shared =
 *     MountRequest.builder(plugin, usage, handle, AccessMode.MULTI_NODE_MULTI_WRITER)
 *         .volumeOptions(MountOptions.none().withFsType("xfs"))
 *         .readOnly(true)
 *         .build();
 * MountRequest inline = // a volume that lives with its workload
 *     MountRequest.inline(plugin, usage, AccessMode.SINGLE_NODE_WRITER)
 *         .workloadFacts(facts) // which workload it is, for the plugin
 *         .build();
 * }</pre>
 *
 * @since 1.0
 */
public final class MountRequest {

  private final Builder parts;
  private final VolumeCapability capability;
  private final VolumeContext volumeContext;

  private MountRequest(Builder builder) {
    parts = builder.copy();
    volumeContext = parts.volumeContext();
    capability = parts.claimed().orElseGet(parts::stated);
  }

  /**
   * Returns a builder for a request to mount a volume as a filesystem.
   *
   * @param plugin the plugin that serves the volume
   * @param usage the volume and the workload, as the host names them
   * @param handle the volume as the plugin names it
   * @param mode how many nodes may use the volume, and which may write
   */
  public static Builder builder(
      PluginId plugin, VolumeUse usage, VolumeId handle, AccessMode mode) {
    return new Builder(plugin, usage, handle, mode);
  }

  /**
   * Returns a builder for a request to mount a volume of the catalog. The builder already contains
   * the volume's context and its mount options for this use.
   *
   * @param volume the volume
   * @param workload the workload, as the host names it
   * @param mode how many nodes may use the volume, and which may write
   * @param attachment whether the volume is wanted as a filesystem or as a block device
   */
  public static Builder builder(
      CatalogVolume volume, WorkloadId workload, AccessMode mode, AttachmentMode attachment) {
    boolean isBlock = attachment == AttachmentMode.BLOCK;
    Builder builder =
        builder(volume.plugin(), VolumeUse.of(volume.key(), workload), volume.id(), mode)
            .volumeContext(volume.context())
            .block(isBlock);
    return isBlock
        ? builder
        : builder.volumeOptions(
            volume
                .capability(mode, attachment)
                .flatMap(VolumeCapability::mountOptions)
                .orElseGet(volume.spec()::mountOptions));
  }

  /**
   * Returns a builder for a request to mount an inline volume. An inline volume exists only during
   * this use: the plugin makes the volume when it publishes it, from the values of {@linkplain
   * Builder#volumeContext the context}, and deletes the volume when it unpublishes it. The manager
   * never creates, attaches or stages an inline volume, even if the plugin stages its other
   * volumes. This method derives the id of the volume from the use, so the same use always has the
   * same id. The name of the workload must therefore be unique among all workloads that use the
   * plugin, on all nodes.
   *
   * <p>The CSI spec has no inline volumes. They are a Kubernetes convention for plugins that
   * declare {@code volumeLifecycleModes: Ephemeral}. Such a plugin recognizes an inline volume by
   * the key {@code csi.storage.k8s.io/ephemeral}, which this library adds to the context.
   *
   * @param plugin the plugin that makes the volume
   * @param usage the volume as the job names it, and the workload
   * @param mode the access mode; a kubelet uses {@link AccessMode#SINGLE_NODE_WRITER}
   */
  public static Builder inline(PluginId plugin, VolumeUse usage, AccessMode mode) {
    Builder builder = new Builder(plugin, usage, VolumeId.of(InlineName.of(plugin, usage)), mode);
    builder.inline = true;
    return builder;
  }

  /**
   * Returns a builder for a request to mount an inline volume, as {@link #inline(PluginId,
   * VolumeUse, AccessMode)} does, with the access mode that a kubelet uses: {@link
   * AccessMode#SINGLE_NODE_WRITER}.
   */
  public static Builder inline(PluginId plugin, VolumeUse usage) {
    return inline(plugin, usage, AccessMode.SINGLE_NODE_WRITER);
  }

  /** Returns a builder with the values of this request. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the plugin that serves the volume. */
  public PluginId plugin() {
    return parts.plugin;
  }

  /** Returns the volume and the workload, as the host names them. */
  public VolumeUse usage() {
    return parts.usage;
  }

  /** Returns the volume as the plugin names it. */
  public VolumeId handle() {
    return parts.handle;
  }

  /** Returns whether the volume is an inline volume, which exists only while it is published. */
  public boolean isInline() {
    return parts.inline;
  }

  /**
   * Returns how the volume is used: the options of the volume, overridden by the options of the
   * request.
   */
  public VolumeCapability capability() {
    return capability;
  }

  /** Returns the claim under which the volume is mounted; empty if the request has none. */
  public Optional<ClaimGrant> claim() {
    return parts.claim;
  }

  /** Returns whether the workload may only read the volume. */
  public boolean readOnly() {
    return parts.readOnly;
  }

  /** Returns the volume's own context, as the plugin returned it. */
  public VolumeContext volumeContext() {
    return volumeContext;
  }

  /** Returns the context without the key that marks an inline volume. */
  VolumeContext ownContext() {
    return parts.volumeContext;
  }

  /** Returns the facts about the workload that are sent to the plugin, if any. */
  public Optional<WorkloadFacts> workloadFacts() {
    return parts.workloadFacts;
  }

  /** Returns the SELinux label for the files, if the workload needs one. */
  public Optional<SelinuxLabel> selinuxLabel() {
    return parts.selinuxLabel;
  }

  /** Returns the group for which the plugin mounts the filesystem, if the plugin supports that. */
  public Optional<String> groupIfOffered() {
    return parts.groupIfOffered;
  }

  /**
   * Returns the publish context that attaching the volume to this node returned. If the request has
   * a claim, the publish context comes from the claim.
   */
  public PublishContext publishContext() {
    return parts.claim.map(ClaimGrant::context).orElse(parts.publishContext);
  }

  /** Returns the provider of the secrets. */
  public SecretsProvider secrets() {
    return parts.secrets;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MountRequest that
        && plugin().equals(that.plugin())
        && usage().equals(that.usage())
        && handle().equals(that.handle())
        && isInline() == that.isInline()
        && capability.equals(that.capability)
        && readOnly() == that.readOnly()
        && volumeContext().equals(that.volumeContext())
        && workloadFacts().equals(that.workloadFacts())
        && selinuxLabel().equals(that.selinuxLabel())
        && publishContext().equals(that.publishContext())
        && claim().map(ClaimGrant::epoch).equals(that.claim().map(ClaimGrant::epoch));
  }

  @Override
  public int hashCode() {
    return Objects.hash(plugin(), usage(), handle(), capability, readOnly());
  }

  @Override
  public String toString() {
    return "MountRequest["
        + usage()
        + ", "
        + handle()
        + " of "
        + plugin()
        + ", "
        + capability
        + (readOnly() ? ", read-only" : "")
        + (isInline() ? ", inline" : "")
        + claim().map(grant -> ", claimed with epoch " + grant.epoch()).orElse("")
        + "]";
  }

  /** A builder for {@link MountRequest}. */
  public static final class Builder {

    private static final Map<String, String> INLINE =
        Map.of("csi.storage.k8s.io/ephemeral", "true");

    private final PluginId plugin;
    private final VolumeUse usage;
    private final VolumeId handle;
    private final AccessMode mode;
    private boolean inline;
    private boolean block;
    private MountOptions volumeOptions = MountOptions.none();
    private MountOptions requestOptions = MountOptions.none();
    private boolean readOnly;
    private VolumeContext volumeContext = VolumeContext.empty();
    private Optional<WorkloadFacts> workloadFacts = Optional.empty();
    private Optional<SelinuxLabel> selinuxLabel = Optional.empty();
    private Optional<String> groupIfOffered = Optional.empty();
    private PublishContext publishContext = PublishContext.empty();
    private SecretsProvider secrets = SecretsProvider.none();
    private Optional<ClaimGrant> claim = Optional.empty();

    private Builder(PluginId plugin, VolumeUse usage, VolumeId handle, AccessMode mode) {
      this.plugin = Objects.requireNonNull(plugin, "plugin");
      this.usage = Objects.requireNonNull(usage, "usage");
      this.handle = Objects.requireNonNull(handle, "handle");
      this.mode = Objects.requireNonNull(mode, "mode");
      if (!mode.isStated()) {
        throw new IllegalArgumentException(
            "A request needs an access mode of the spec, not " + mode + ".");
      }
    }

    private Builder copy() {
      Builder copy = new Builder(plugin, usage, handle, mode);
      copy.inline = inline;
      copy.block = block;
      copy.volumeOptions = volumeOptions;
      copy.requestOptions = requestOptions;
      copy.readOnly = readOnly;
      copy.volumeContext = volumeContext;
      copy.workloadFacts = workloadFacts;
      copy.selinuxLabel = selinuxLabel;
      copy.groupIfOffered = groupIfOffered;
      copy.publishContext = publishContext;
      copy.secrets = secrets;
      copy.claim = claim;
      return copy;
    }

    /**
     * Sets whether the workload wants a raw block device. By default the workload gets a
     * filesystem.
     */
    public Builder block(boolean value) {
      block = value;
      return this;
    }

    /** Sets the mount options with which the volume was registered. */
    public Builder volumeOptions(MountOptions options) {
      volumeOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Sets the mount options of this request. An option that is set here overrides the same option
     * of the volume.
     */
    public Builder requestOptions(MountOptions options) {
      requestOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Sets whether the workload may only read the volume. By default the workload may also write.
     */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /**
     * Sets the volume's own context, as the plugin returned it when it created the volume. If the
     * volume is already mounted with another context, the request is refused ({@code
     * OPTIONS_DIFFER}); {@link VolumeMounter#refresh} applies the new context. For an {@linkplain
     * MountRequest#inline inline} volume, the plugin makes the volume from this context.
     */
    public Builder volumeContext(VolumeContext context) {
      volumeContext = Objects.requireNonNull(context, "context");
      return this;
    }

    /**
     * Sends facts about the workload to the plugin, next to the context of the volume. They are
     * sent only in the call that publishes the volume for the workload. Some plugins need these
     * facts; in Kubernetes, such a plugin sets {@code podInfoOnMount} in its {@code CSIDriver}. If
     * the facts change, a mounted volume keeps the old facts until it is {@linkplain
     * VolumeMounter#refresh refreshed}. By default no facts are sent.
     */
    public Builder workloadFacts(WorkloadFacts facts) {
      workloadFacts = Optional.of(facts);
      return this;
    }

    /**
     * Sets the SELinux label with which the workload may use the files. If the plugin {@link
     * io.csi4j.volume.model.MountPolicy.Builder#takesSelinuxLabel takes labels}, the filesystem is
     * mounted with this label and {@link MountedVolume.Filesystem#selinuxLabel} returns it; in that
     * case the caller must not relabel the files. The first use of a volume on this node decides
     * whether the volume is mounted with a label. Until the last use ends, a request with another
     * label is refused ({@code OPTIONS_DIFFER}). If a claim states how the volume is mounted, the
     * options of the claim must include the label: {@link SelinuxLabel#addedTo}. The label is
     * ignored for a block device.
     */
    public Builder selinuxLabel(SelinuxLabel label) {
      selinuxLabel = Optional.of(label);
      return this;
    }

    /**
     * Sets the group, as a number, that the files should belong to. If the plugin offers
     * VOLUME_MOUNT_GROUP and the mount options name no group, the filesystem is mounted for this
     * group and {@link MountedVolume.Filesystem#volumeMountGroup} returns it. Otherwise the caller
     * changes the group of the files. The first use of a volume on this node decides whether the
     * volume is mounted for a group. While a volume is mounted for a group, a request with another
     * group is refused ({@code OPTIONS_DIFFER}). If a claim states how the volume is mounted, the
     * plugin receives only the group of the claim. The group is ignored for a block device.
     */
    public Builder groupIfOffered(String group) {
      groupIfOffered = MountOptions.none().withVolumeMountGroup(group).volumeMountGroup();
      return this;
    }

    /**
     * Sets the publish context that attaching the volume to this node returned. Only a request
     * without a {@linkplain #claim claim} needs this call, because a claim contains its own publish
     * context. If the volume is mounted with another publish context, the request is refused
     * ({@code OPTIONS_DIFFER}); {@link VolumeMounter#refresh} applies the new publish context.
     */
    public Builder publishContext(PublishContext context) {
      publishContext = Objects.requireNonNull(context, "context");
      return this;
    }

    /**
     * Sets the provider of the secrets. If the secrets change, a mounted volume keeps the old
     * secrets until it is {@linkplain VolumeMounter#refresh refreshed}. By default there are no
     * secrets.
     */
    public Builder secrets(SecretsProvider provider) {
      secrets = Objects.requireNonNull(provider, "provider");
      return this;
    }

    /**
     * Mounts the volume under a claim, and only while the claim is current. The manager confirms
     * the claim before it stages the volume and before it publishes it; see {@link
     * io.csi4j.volume.manager.VolumeManager.Builder#claims}. The request takes the epoch and the
     * publish context of the claim. If the claim states how the volume is mounted, the plugin
     * receives exactly the capability of the claim, as the storage system did: the options of the
     * volume are ignored, and the options of the request must be part of the claim.
     *
     * @throws IllegalArgumentException if the claim is of another use
     */
    public Builder claim(ClaimGrant grant) {
      if (!grant.usage().equals(usage)) {
        throw new IllegalArgumentException(
            "The claim of " + grant.usage() + " is not a claim of " + usage + ".");
      }
      claim = Optional.of(grant);
      return this;
    }

    private Optional<VolumeCapability> claimed() {
      return claim.flatMap(ClaimGrant::capability);
    }

    private VolumeContext volumeContext() {
      return inline ? volumeContext.with(INLINE) : volumeContext;
    }

    private VolumeCapability stated() {
      return block
          ? VolumeCapability.block(mode)
          : VolumeCapability.mount(mode, volumeOptions.overlaidWith(requestOptions));
    }

    /**
     * Returns the request.
     *
     * @throws IllegalArgumentException for a block device with mount options, for a claim of
     *     another use, for an inline volume that is claimed or attached, or if a fact about the
     *     workload has a key that the volume's own context has too
     */
    public MountRequest build() {
      VolumeContext context = volumeContext();
      workloadFacts.ifPresent(facts -> facts.addedTo(context));
      if (inline && (claim.isPresent() || !publishContext.isEmpty())) {
        throw new IllegalArgumentException(
            "The request for "
                + usage
                + " is for an inline volume, which no other workload can have, and which is not"
                + " attached. Leave the claim and the publish context out.");
      }
      MountOptions none = MountOptions.none();
      if (block && !(volumeOptions.equals(none) && requestOptions.equals(none))) {
        throw new IllegalArgumentException(
            "The request for "
                + usage
                + " requests a block device with mount options, which only a filesystem has. Leave"
                + " one of them out.");
      }
      claim.ifPresent(this::compare);
      return new MountRequest(this);
    }

    /** Refuses a request that differs from its claim in capability, access or publish context. */
    private void compare(ClaimGrant grant) {
      if (grant.capability().filter(claimed -> !isAsClaimed(claimed)).isPresent()) {
        throw new IllegalArgumentException(
            "The request for "
                + usage
                + " says "
                + stated()
                + ", but its claim is for "
                + grant.capability().get()
                + ". Claim the volume as it is mounted; mount options belong in the claim.");
      }
      if (grant.mode() == ClaimMode.READ && mode.isWritable() && !readOnly) {
        throw new IllegalArgumentException(
            "The request for "
                + usage
                + " wants to write, but its claim is for "
                + grant.mode()
                + ". Claim the volume for WRITE, or request it read-only.");
      }
      if (!publishContext.isEmpty() && !publishContext.equals(grant.context())) {
        throw new IllegalArgumentException(
            "The request for "
                + usage
                + " has another publish context than its claim. Leave it out: the claim has the one"
                + " that attaching the volume returned.");
      }
    }

    /**
     * Returns whether this request stays within the claimed capability. The mount options of the
     * request must all be in the claim. The claim may have an older access mode, because some
     * plugins do not support the newer modes.
     */
    private boolean isAsClaimed(VolumeCapability claimed) {
      return (claimed.accessMode() == mode
              || claimed.accessMode() == mode.withoutSingleNodeMultiWriter())
          && claimed.isBlock() == block
          && claimed
              .mountOptions()
              .map(it -> it.overlaidWith(requestOptions).equals(it))
              .orElse(true);
    }
  }
}
