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
 * The wish of a workload for a volume. Compares by value; where its secrets come from does not
 * count, nor does a group for a plugin that mounts for one.
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
   * Begins a request for a filesystem.
   *
   * @param plugin the plugin whose volume it is
   * @param usage the volume and the workload, as the host names them
   * @param handle the volume as the plugin names it
   * @param mode how many nodes may use it, and which may write
   */
  public static Builder builder(
      PluginId plugin, VolumeUse usage, VolumeId handle, AccessMode mode) {
    return new Builder(plugin, usage, handle, mode);
  }

  /**
   * Begins a request for a volume of the catalog, with its context, and with the mount options that
   * it has for this use.
   *
   * @param volume the volume
   * @param workload the workload, as the host names it
   * @param mode how many nodes may use it, and which may write
   * @param attachment as what it is wanted
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
   * Begins a request for an inline volume, which has no life before or after this use: the plugin
   * makes it when it is published, by the words of {@linkplain Builder#volumeContext the context},
   * and deletes it when it is unpublished. It is never created, attached or staged, also where the
   * plugin stages its other volumes. Its id is made here, the same each time for this use; so a
   * workload needs a name that no other workload of the plugin has, on whatever node.
   *
   * <p>CSI itself knows no inline volumes; this is Kubernetes' custom, and for plugins that follow
   * it ({@code volumeLifecycleModes: Ephemeral}). The key {@code csi.storage.k8s.io/ephemeral}, by
   * which such a plugin tells them from its other volumes, is added to the context.
   *
   * @param plugin the plugin that makes it
   * @param usage the volume as the job names it, and the workload
   * @param mode how it is used; a kubelet asks for {@link AccessMode#SINGLE_NODE_WRITER}
   */
  public static Builder inline(PluginId plugin, VolumeUse usage, AccessMode mode) {
    Builder builder = new Builder(plugin, usage, VolumeId.of(InlineName.of(plugin, usage)), mode);
    builder.inline = true;
    return builder;
  }

  /**
   * Begins a request for an inline volume, as {@link #inline(PluginId, VolumeUse, AccessMode)},
   * that is used as a kubelet does: with {@link AccessMode#SINGLE_NODE_WRITER}.
   */
  public static Builder inline(PluginId plugin, VolumeUse usage) {
    return inline(plugin, usage, AccessMode.SINGLE_NODE_WRITER);
  }

  /** Begins with this request. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** The plugin whose volume it is. */
  public PluginId plugin() {
    return parts.plugin;
  }

  /** The volume and the workload, as the host names them. */
  public VolumeUse usage() {
    return parts.usage;
  }

  /** The volume as the plugin names it. */
  public VolumeId handle() {
    return parts.handle;
  }

  /** Whether it is an inline volume, which lives as long as it is published. */
  public boolean isInline() {
    return parts.inline;
  }

  /** How it is used: the options of the volume, with those replaced that the request states. */
  public VolumeCapability capability() {
    return capability;
  }

  /** Returns the claim under which it is mounted; nothing if it needs none. */
  public Optional<ClaimGrant> claim() {
    return parts.claim;
  }

  /** Whether the workload may only read. */
  public boolean readOnly() {
    return parts.readOnly;
  }

  /** The volume's own context, as its plugin gave it. */
  public VolumeContext volumeContext() {
    return volumeContext;
  }

  /** The context without the key by which a plugin recognises an inline volume. */
  VolumeContext ownContext() {
    return parts.volumeContext;
  }

  /** Returns what the plugin is told of the workload, if it is told of it. */
  public Optional<WorkloadFacts> workloadFacts() {
    return parts.workloadFacts;
  }

  /** Returns the label of SELinux for the files, if the workload needs one. */
  public Optional<SelinuxLabel> selinuxLabel() {
    return parts.selinuxLabel;
  }

  /** Returns the group for which the plugin mounts the filesystem, if it can. */
  public Optional<String> groupIfOffered() {
    return parts.groupIfOffered;
  }

  /** Returns the context that attaching the volume to this node returned, as its claim has it. */
  public PublishContext publishContext() {
    return parts.claim.map(ClaimGrant::context).orElse(parts.publishContext);
  }

  /** Where the secrets come from. */
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

  /** Collects what a request may have. */
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

    /** Sets whether a raw block device is wanted. A filesystem is by default. */
    public Builder block(boolean value) {
      block = value;
      return this;
    }

    /** The mount options that the volume was registered with. */
    public Builder volumeOptions(MountOptions options) {
      volumeOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /** The mount options of this request: each part that it states replaces that of the volume. */
    public Builder requestOptions(MountOptions options) {
      requestOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /** Sets whether the workload may only read. It may write by default. */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /**
     * The volume's own context, as its plugin gave it when it was created. What is mounted with
     * another one is not mounted again: the request is refused ({@code OPTIONS_DIFFER}), and {@link
     * VolumeMounter#refresh} brings the new one. For an {@linkplain MountRequest#inline inline}
     * volume, what its plugin makes it of.
     */
    public Builder volumeContext(VolumeContext context) {
      volumeContext = Objects.requireNonNull(context, "context");
      return this;
    }

    /**
     * Tells the plugin of the workload where the volume is published for it, beside the context of
     * the volume, and nowhere else: for a plugin that asks for it, as {@code CSIDriver} of
     * Kubernetes says by {@code podInfoOnMount}. What is mounted stays as it is when they change,
     * until it is {@linkplain VolumeMounter#refresh refreshed}. Default: it is told nothing.
     */
    public Builder workloadFacts(WorkloadFacts facts) {
      workloadFacts = Optional.of(facts);
      return this;
    }

    /**
     * Sets the label of SELinux with which the workload may use the files. Where the plugin {@link
     * io.csi4j.volume.model.MountPolicy.Builder#takesSelinuxLabel takes labels}, the filesystem is
     * mounted with it, and {@link MountedVolume.Filesystem#selinuxLabel} says so: its files are not
     * to be relabelled. Whether a volume is mounted with a label is decided at its first use on
     * this node, and kept until its last; a request with another label is refused meanwhile ({@code
     * OPTIONS_DIFFER}). Under a claim that says how the volume is mounted, the label has to be in
     * the options of the claim: {@link SelinuxLabel#addedTo}. Of no account for a block device.
     */
    public Builder selinuxLabel(SelinuxLabel label) {
      selinuxLabel = Optional.of(label);
      return this;
    }

    /**
     * Sets the group that the files are to belong to, as a number. Where the plugin offers
     * VOLUME_MOUNT_GROUP, and the mount options name no group, the filesystem is mounted for this
     * one, and {@link MountedVolume.Filesystem#volumeMountGroup} says so; elsewhere the caller
     * gives the files to it. Whether a volume is mounted for a group is decided at its first use on
     * this node, and kept until its last; a request with another group is refused meanwhile ({@code
     * OPTIONS_DIFFER}) if it is. Under a claim that says how the volume is mounted, the plugin is
     * given the group of the claim only. Of no account for a block device.
     */
    public Builder groupIfOffered(String group) {
      groupIfOffered = MountOptions.none().withVolumeMountGroup(group).volumeMountGroup();
      return this;
    }

    /**
     * Sets the context that attaching the volume to this node returned, for a volume without a
     * {@linkplain #claim claim}: the grant of a claim has its own. While a volume is mounted that
     * was attached with another one, the request is refused ({@code OPTIONS_DIFFER}), and {@link
     * VolumeMounter#refresh} brings the new one.
     */
    public Builder publishContext(PublishContext context) {
      publishContext = Objects.requireNonNull(context, "context");
      return this;
    }

    /**
     * Where the secrets come from; what is mounted stays as it is when they change, until it is
     * {@linkplain VolumeMounter#refresh refreshed}. Default: there are none.
     */
    public Builder secrets(SecretsProvider provider) {
      secrets = Objects.requireNonNull(provider, "provider");
      return this;
    }

    /**
     * Mounts it under a claim, and only while that is current, which is asked before it is staged
     * and before it is published; see {@link io.csi4j.volume.manager.VolumeManager.Builder#claims}.
     * The request has the epoch of the claim, and the context that attaching the volume returned.
     * If the claim says how the volume is mounted, the plugin is told just that, as the storage
     * system was: the options of the volume do not count then, and those of the request have to be
     * in the claim.
     *
     * @throws IllegalArgumentException if it is the claim of another use
     */
    public Builder claim(ClaimGrant grant) {
      if (!grant.usage().equals(usage)) {
        throw new IllegalArgumentException(
            "The claim of " + grant.usage() + " is none of " + usage + ".");
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
     * The request.
     *
     * @throws IllegalArgumentException for a block device with mount options, for another use than
     *     the one that was claimed, for an inline volume that is claimed or attached, or for facts
     *     of the workload under a key that the volume's own context has
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
                + " wants a block device, and gives mount options, which only a filesystem has."
                + " Leave one of them out.");
      }
      claim.ifPresent(this::compare);
      return new MountRequest(this);
    }

    /** Refuses a request that asks for something else than was claimed. */
    private void compare(ClaimGrant grant) {
      if (grant.capability().filter(claimed -> !isAsClaimed(claimed)).isPresent()) {
        throw new IllegalArgumentException(
            "The request for "
                + usage
                + " says "
                + stated()
                + ", and was claimed as "
                + grant.capability().get()
                + ". Claim the volume in the way in which it is mounted; mount options belong into"
                + " the claim.");
      }
      if (grant.mode() == ClaimMode.READ && mode.isWritable() && !readOnly) {
        throw new IllegalArgumentException(
            "The request for "
                + usage
                + " wants to write, and was claimed to "
                + grant.mode()
                + ". Claim the volume to write, or ask for it read-only.");
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
     * Whether a request asks for no more than was claimed: options that it leaves open may be set,
     * and the storage system may know the volume by an older access mode.
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
